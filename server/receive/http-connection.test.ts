import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import fastify, { type FastifyInstance } from 'fastify'
import { Agent, request as send } from 'undici'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { otlpHttp } from './http.ts'
import { createOtlpHttpServer } from './otlp-http-server.ts'
import { createReceiverFixture, INGEST_KEY, type ReceiverFixture } from './testing/receiver-fixture.ts'
import { createSelfSigned } from './testing/self-signed-fixture.ts'

const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 10_000 })

let fixture: ReceiverFixture
let app: FastifyInstance

beforeEach(() => {
  fixture = createReceiverFixture()
})

afterEach(() => app.close())

async function connectTo(server: FastifyInstance): Promise<Socket> {
  const { port } = new URL(await server.listen({ host: '127.0.0.1', port: 0 }))
  const socket = connect(Number(port), '127.0.0.1')
  await once(socket, 'connect')
  return socket
}

/** Reads until as many status lines have come. */
async function statuses(socket: Socket, count: number): Promise<number[]> {
  let text = ''
  for (;;) {
    const found = [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map((match) => Number(match[1]))
    if (found.length >= count) return found
    const [chunk] = await once(socket, 'data')
    text += chunk
  }
}

function head(contentLength: number, key = INGEST_KEY): string {
  return `POST /v1/traces HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-protobuf\r\nAPI-Key: ${key}\r\nContent-Length: ${contentLength}\r\n\r\n`
}

describe('a connection', () => {
  beforeEach(() => {
    app = createOtlpHttpServer({ receiver: fixture.receiver })
  })

  it('is answered 401 before a byte of the body was sent', async () => {
    const socket = await connectTo(app)
    socket.write(head(1_000, 'wrong'))
    expect(await statuses(socket, 1)).toEqual([401])
    socket.destroy()
  })

  it('is answered 413 before a byte of a body that says it is too large was sent', async () => {
    const socket = await connectTo(app)
    socket.write(head(70_000_000))
    expect(await statuses(socket, 1)).toEqual([413])
    socket.destroy()
  })

  it('can go on being used after a refusal, and takes requests before the last was answered', async () => {
    const socket = await connectTo(app)
    socket.write(`${head(5, 'wrong')}12345${head(3)}abc${head(2)}de`)
    expect(await statuses(socket, 3)).toEqual([401, 200, 200])
    expect(fixture.requests.map(({ body }) => Buffer.from(body).toString())).toEqual(['abc', 'de'])
    socket.destroy()
  })

  it('that breaks off in the middle of a body gives back what was reserved for it', async () => {
    const socket = await connectTo(app)
    socket.write(`${head(100_000)}only this`)
    const inFlightBytes = async () => Number((await fixture.metric('faultline_otlp_in_flight_bytes')) ?? 0)
    await eventually(inFlightBytes).toBe(4_096 + 'only this'.length)
    socket.destroy()
    await eventually(inFlightBytes).toBe(0)
    expect(fixture.requests).toHaveLength(0)
  })

  it('that breaks off before its sender is known leaves nothing behind', async () => {
    let proceed = (): void => undefined
    const held = new Promise<void>((resolve) => {
      proceed = resolve
    })
    let asked = false
    fixture.beforeAuthentication = () => {
      asked = true
      return held
    }
    const socket = await connectTo(app)
    const [served] = await Promise.all([once(app.server, 'request'), socket.write(`${head(1_000)}abc`)])
    await eventually(() => asked).toBe(true)
    socket.destroy()
    await eventually(() => served[0].destroyed).toBe(true)
    proceed()
    await eventually(() => fixture.metric('faultline_otlp_refused_total{reason="cancelled"}')).toBe('1')
    expect(await fixture.metric('faultline_otlp_in_flight_bytes')).toBe('0')
  })

  it('does not hold up the end of the server, even with a refused body on its way', async () => {
    const socket = await connectTo(app)
    socket.write(`${head(2_000, 'wrong')}${'a'.repeat(1_000)}`)
    await statuses(socket, 1)
    const closed = app.close()
    socket.write('b'.repeat(1_000))
    await closed
  })
})

it('closes though a client has not finished its TLS handshake', async () => {
  app = createOtlpHttpServer({ receiver: fixture.receiver, tls: createSelfSigned() })
  const socket = await connectTo(app)
  socket.resume()
  await Promise.all([once(socket, 'close'), app.close()])
})

it('speaks TLS where it was given a certificate', async () => {
  const tls = createSelfSigned()
  app = createOtlpHttpServer({ receiver: fixture.receiver, tls })
  const { host } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }))
  const dispatcher = new Agent({ connect: { ca: tls.cert.toString() } })
  const headers = { 'content-type': 'application/json', 'api-key': INGEST_KEY }
  const answer = await send(`https://${host}/v1/logs`, { method: 'POST', headers, body: '{}', dispatcher })
  expect(answer.statusCode).toBe(200)
  await answer.body.dump()
  await dispatcher.close()
})

describe('beside an API on the same port', () => {
  beforeEach(() => {
    app = fastify()
    app.setErrorHandler((_error, _request, reply) => reply.code(500).type('application/problem+json').send('{}'))
    app.register(otlpHttp, { receiver: fixture.receiver })
    app.post('/echo', async (request) => request.body)
  })

  it('answers its own errors with a Status, and leaves the API its ways', async () => {
    const refused = await app.inject({ method: 'POST', url: '/v1/traces', payload: { a: 1 } })
    expect(refused.statusCode).toBe(401)
    expect(refused.headers['content-type']).toBe('application/json')
    expect(refused.json()).toMatchObject({ code: 16 })
    expect((await app.inject({ method: 'GET', url: '/v1/traces' })).statusCode).toBe(405)
    const echo = await app.inject({ method: 'POST', url: '/echo', payload: { a: 1 } })
    expect(echo.json()).toEqual({ a: 1 })
    const broken = await app.inject({ method: 'POST', url: '/echo', headers: { 'content-type': 'x/y' }, payload: 'x' })
    expect(broken.headers['content-type']).toContain('application/problem+json')
  })
})
