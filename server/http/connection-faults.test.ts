import { get } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createSelfSigned } from '../receive/testing/self-signed-fixture.ts'
import { createTestApp, problem, type TestApp } from './testing/test-app.ts'

let test: TestApp
let port: number

beforeAll(async () => {
  test = await createTestApp()
  await test.app.listen({ host: '127.0.0.1', port: 0 })
  port = portOf(test)
})
afterAll(() => test.app.close())

function portOf({ app }: TestApp): number {
  return (app.server.address() as AddressInfo).port
}

/** Sends bytes as they are, and reads until the server hangs up. */
async function say(bytes: string): Promise<{ status: number; headers: string; body: unknown }> {
  const socket = connect(port, '127.0.0.1')
  socket.end(bytes)
  let answer = ''
  for await (const chunk of socket) answer += chunk
  const [headers = '', body = ''] = answer.split('\r\n\r\n')
  return { status: Number(headers.split(' ')[1]), headers: headers.toLowerCase(), body: JSON.parse(body || 'null') }
}

const END = '\r\nConnection: close\r\n\r\n'

describe('what is no proper request is answered with a problem, too', () => {
  it('bytes that are no HTTP', async () => {
    const answer = await say('HELLO\r\n\r\n')
    expect(answer).toMatchObject(problem('malformed-request'))
    expect(answer.headers).toMatch(/content-type: application\/problem\+json/)
    expect(answer.headers).toMatch(/x-request-id: [0-9a-f-]{36}/)
    expect(answer.body).toEqual({
      ...(answer.body as object),
      title: 'Bad Request',
      detail: expect.any(String),
      instance: '',
    })
  })

  it('a broken header', async () => {
    expect(await say(`GET / HTTP/1.1\r\nHost: x\r\nbad header${END}`)).toMatchObject(problem('malformed-request'))
  })

  it('headers that are too large', async () => {
    const large = `GET / HTTP/1.1\r\nHost: x\r\nX-Large: ${'x'.repeat(20_000)}${END}`
    expect(await say(large)).toMatchObject(problem('headers-too-large'))
  })

  it('an address that is too long', async () => {
    expect(await say(`GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x${END}`)).toMatchObject(
      problem('headers-too-large'),
    )
    expect(await say(`GET /apm/traces/${'x'.repeat(5000)}/filters HTTP/1.1\r\nHost: x${END}`)).toMatchObject(
      problem('uri-too-long'),
    )
  })

  it('no Host', async () => {
    expect(await say(`GET /nowhere HTTP/1.1${END}`)).toMatchObject(problem('malformed-request'))
    expect((await say('GET /healthz HTTP/1.0\r\n\r\n')).status).toBe(200)
  })

  it('an expectation that nobody can meet', async () => {
    expect(await say(`GET / HTTP/1.1\r\nHost: x\r\nExpect: miracles${END}`)).toMatchObject(
      problem('expectation-failed'),
    )
  })

  it('a body that is shorter than it says', async () => {
    const key = (await test.key())['api-key']
    const head = `POST /apm/traces/${test.gridId}?api-version=2.0 HTTP/1.1\r\nHost: x\r\nAPI-Key: ${key}\r\nContent-Type: application/json`
    const answer = await say(`${head}\r\nContent-Length: 2000000${END}`)
    expect(answer).toMatchObject(problem('body-too-large'))
  })
})

it('speaks TLS where it is given a certificate', async () => {
  const tls = createSelfSigned()
  const secure = await createTestApp({ https: tls, publicUrl: 'https://localhost' })
  await secure.app.listen({ host: '127.0.0.1', port: 0 })
  const status = await new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port: portOf(secure), path: '/healthz', ca: tls.cert }, (response) => {
      resolve([response.statusCode, response.headers['strict-transport-security']])
    }).on('error', reject)
  })
  await secure.app.close()
  expect(status).toEqual([200, expect.stringContaining('max-age')])
})

it('refuses what comes while it closes, in its own words', async () => {
  const other = await createTestApp()
  await other.app.listen({ host: '127.0.0.1', port: 0 })
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  const entered = new Promise<void>((resolve) => {
    other.setReader({
      traceFilterOptions: async () => {
        resolve()
        await held
        return { serviceNames: [], operationNames: [], statusValues: [], tagKeys: [] }
      },
    })
  })
  const key = (await other.key())['api-key']
  const request = `GET /apm/traces/${other.gridId}/filters?api-version=2.0 HTTP/1.1\r\nHost: x\r\nAPI-Key: ${key}\r\n\r\n`
  const socket = connect(portOf(other), '127.0.0.1')
  socket.write(request)
  await entered
  const closed = other.app.close()
  socket.write(request)
  await vi.waitFor(() => expect(other.logged.join()).toContain('not-ready'))
  release()
  let answers = ''
  for await (const chunk of socket) answers += chunk
  await closed
  expect(answers.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 503'])
  expect(answers).toContain('urn:faultline:problem:not-ready')
})
