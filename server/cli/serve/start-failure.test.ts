import { createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { readConfig } from '../../config/config.ts'
import { ConfigError } from '../../config/config-error.ts'
import { StoreUnusable } from '../../domain/store-errors.ts'
import { explainStartFailure } from './start-failure.ts'

function listenError(host: string, port: number): Promise<unknown> {
  return new Promise((resolve) => createServer().once('error', resolve).listen(port, host))
}

describe('a start that fails', () => {
  it('names the variable of a port that is in use', async () => {
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
    const address = taken.address()
    const port = typeof address === 'object' && address ? address.port : 0
    const error = await listenError('127.0.0.1', port)
    taken.close()
    for (const variable of ['FAULTLINE_PORT', 'FAULTLINE_OTLP_HTTP_PORT', 'FAULTLINE_OTLP_GRPC_PORT']) {
      const config = readConfig({ [variable]: String(port) })
      expect(explainStartFailure(error, config)).toBe(`${variable} is "${port}": another program listens on this port`)
    }
  })

  it('names the host that this machine does not have', async () => {
    const config = readConfig({ FAULTLINE_HOST: '203.0.113.7' })
    expect(explainStartFailure(await listenError('203.0.113.7', 0), config)).toBe(
      'FAULTLINE_HOST is "203.0.113.7": this machine has no such address to listen on',
    )
  })

  it('repeats what configuration and store say for themselves', () => {
    expect(explainStartFailure(new ConfigError('FAULTLINE_PORT is wrong'), undefined)).toBe('FAULTLINE_PORT is wrong')
    expect(explainStartFailure(new StoreUnusable('the data is newer'), readConfig({}))).toBe('the data is newer')
  })

  it('is told on one line, whatever it was', () => {
    const explained = explainStartFailure(new Error('something\n  broke'), readConfig({}))
    expect(explained).toBe('The server could not start: something broke (FAULTLINE_LOG_LEVEL=debug shows where)')
  })
})
