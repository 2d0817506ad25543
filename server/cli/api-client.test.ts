import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { type ApiClient, createApiClient } from './api-client.ts'
import type { RequestFailed } from './request-failed.ts'
import { delayAfter } from './retry.ts'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

let closeServer: () => void = () => undefined
afterEach(() => closeServer())

const seen: IncomingMessage[] = []

async function clientFor(answers: Answer[]): Promise<ApiClient> {
  seen.length = 0
  const server = createServer((request, response) => {
    seen.push(request)
    request.resume().on('end', () => answers[Math.min(seen.length, answers.length) - 1]?.(request, response))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  closeServer = () => {
    server.closeAllConnections()
    server.close()
  }
  return clientOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
}

function clientOf(url: string, waitsForServer = false): ApiClient {
  const credential = async () => ({ 'api-key': 'a key' })
  return createApiClient({ url, credential, patience: { patienceMs: 5_000, waitsForServer } })
}

function answer(status: number, body: unknown, headers: Record<string, string> = {}): Answer {
  return (_, response) => response.writeHead(status, headers).end(JSON.stringify(body))
}

async function failureOf(promise: Promise<unknown>): Promise<RequestFailed> {
  return promise.then(
    () => expect.unreachable(),
    (error) => error,
  )
}

describe('the client of the API', () => {
  it('names the version and the credential, and leaves out what was not given', async () => {
    const client = await clientFor([answer(200, { fine: true })])
    expect(await client.get('/apm/x', { at: 'a b', window: undefined })).toEqual({ fine: true })
    expect(seen[0]).toMatchObject({ url: '/apm/x?at=a+b', headers: { 'x-api-version': '2.0', 'api-key': 'a key' } })
  })

  it('tells the detail of a problem', async () => {
    const client = await clientFor([answer(403, { title: 'Forbidden', detail: 'You have no role on this Grid.' })])
    expect(await failureOf(client.get('/'))).toMatchObject({ message: 'You have no role on this Grid.', exitCode: 1 })
    expect(seen).toHaveLength(1)
  })

  it('tells the status of an answer that is no problem, and refuses one that is not JSON', async () => {
    const html: Answer = (_, response) => response.end('<html>')
    const client = await clientFor([answer(500, 'oops'), html])
    expect((await failureOf(client.get('/'))).message).toMatch(/^http:\/\/127.* answered 500 Internal Server Error$/)
    expect((await failureOf(client.get('/'))).message).toContain('other than JSON')
  })

  it('tries again what the server was too busy for', async () => {
    const busy = answer(429, { detail: 'Too often.' }, { 'retry-after': '1' })
    const client = await clientFor([busy, answer(201, { id: 1 })])
    expect(await client.post('/', { name: 'x' })).toEqual({ id: 1 })
    expect(seen).toHaveLength(2)
  })

  it('gives up at once where the wait is longer than its patience', async () => {
    const client = await clientFor([answer(429, { detail: 'Too often.' }, { 'retry-after': '60' })])
    expect((await failureOf(client.get('/'))).message).toBe('Too often.')
    expect(seen).toHaveLength(1)
  })

  it('does not ask again what took the server too long', async () => {
    const client = await clientFor([answer(503, { detail: 'The question took too long.' })])
    await failureOf(client.get('/'))
    expect(seen).toHaveLength(1)
  })

  it('takes its key nowhere else', async () => {
    const client = await clientFor([answer(302, {}, { location: '/elsewhere' })])
    expect((await failureOf(client.get('/'))).message).toContain('answered 302')
    expect(seen).toHaveLength(1)
  })

  it('says that nobody is there, and waits for a server only where it should', async () => {
    const gone = await clientFor([])
    closeServer()
    expect((await failureOf(gone.get('/'))).message).toMatch(
      /cannot be reached \(connection refused\): is it running\?$/,
    )
    const waiting = clientOf(gone.url, true).get('/')
    const server = createServer((_, response) => response.end('{"back": true}'))
    await new Promise((resolve) => setTimeout(resolve, 300))
    server.listen(Number(new URL(gone.url).port), '127.0.0.1')
    closeServer = () => server.close()
    expect(await waiting).toEqual({ back: true })
  })
})

describe('the wait between tries', () => {
  it('is never shorter than the server asks for', () => {
    expect(delayAfter(0, 2_000, () => 0)).toBe(2_000)
    expect(delayAfter(0, 2_000, () => 1)).toBe(2_200)
  })

  it('grows up to a limit, and differs from client to client', () => {
    expect([0, 1, 2, 20].map((failures) => delayAfter(failures, undefined, () => 1))).toEqual([250, 500, 1_000, 10_000])
    expect([0, 1, 2, 20].map((failures) => delayAfter(failures, undefined, () => 0))).toEqual([125, 250, 500, 5_000])
  })
})
