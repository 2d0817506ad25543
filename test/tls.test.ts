import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { get } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createSelfSigned } from '../server/receive/testing/self-signed-fixture.ts'
import { TRACES } from './api.ts'
import { exportersFor, TRANSPORTS } from './exporters.ts'
import { sendTrace, TEXT } from './sdk-telemetry.ts'
import { OWNER_KEY, type ServerProcess, startServer } from './server-process.ts'

const { cert, key } = createSelfSigned()

let folder: string
let server: ServerProcess

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faultline-tls-'))
  await writeFile(join(folder, 'cert.pem'), cert)
  await writeFile(join(folder, 'key.pem'), key)
  // The exporters look for it when they first send.
  process.env['OTEL_EXPORTER_OTLP_CERTIFICATE'] = join(folder, 'cert.pem')
  server = await startServer(join(folder, 'data'), {
    FAULTLINE_TLS_CERT: join(folder, 'cert.pem'),
    FAULTLINE_TLS_KEY: join(folder, 'key.pem'),
  })
})

afterAll(async () => {
  await server.stop()
  await rm(folder, { recursive: true, force: true })
})

function read(path: string): Promise<{ status: number | undefined; body: Record<string, unknown> }> {
  const headers = { 'api-key': OWNER_KEY, 'x-api-version': '2.0' }
  return new Promise((resolve, reject) => {
    const asking = get(`${server.url}${path}`, { ca: cert, headers, agent: false }, async (response) => {
      let text = ''
      for await (const chunk of response) text += chunk
      resolve({ status: response.statusCode, body: JSON.parse(text) })
    })
    asking.on('error', reject)
  })
}

it.each(TRANSPORTS)('takes $name over TLS and answers over TLS', async (transport) => {
  expect(transport.endpoint(server)).toMatch(/^https:/)
  const named = {
    ...transport,
    endpoint: (to: ServerProcess) => transport.endpoint(to).replace('127.0.0.1', 'localhost'),
  }
  const sent = await sendTrace(exportersFor(server, named).traces, transport.name)
  expect(await read(`${TRACES}/details/${sent.client}`)).toMatchObject({ status: 200, body: { operationName: TEXT } })
})

it('speaks nothing else on any port, and names itself by https', async () => {
  for (const url of [server.url, server.otlpHttpUrl, server.otlpGrpcUrl]) {
    await expect(fetch(url.replace('https:', 'http:'))).rejects.toThrow()
  }
  const { body } = await read('/oauth/.well-known/openid-configuration')
  expect(body).toMatchObject({ issuer: `${server.url}/oauth`, token_endpoint: expect.stringMatching(/^https:/) })
})
