import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { deflateSync, gzipSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { type Dispatcher, request as send } from 'undici'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { StoreUnavailable } from '../domain/store-errors.ts'
import { MalformedRequest } from '../ingest/ingest.ts'
import { createOtlpHttpServer } from './otlp-http-server.ts'
import { decodePartialSuccess, decodeStatus } from './testing/otlp-answer-fixture.ts'
import {
  createReceiverFixture,
  GRID_ID,
  INGEST_KEY,
  READ_KEY,
  type ReceiverFixture,
} from './testing/receiver-fixture.ts'

const MIB = 1024 * 1024
const PROTOBUF = { 'content-type': 'application/x-protobuf', 'api-key': INGEST_KEY }
const JSON_TYPE = { 'content-type': 'application/json', 'api-key': INGEST_KEY }

let fixture: ReceiverFixture
let app: FastifyInstance
let url: string

async function open(budgetBytes?: number): Promise<void> {
  fixture = createReceiverFixture(budgetBytes)
  app = createOtlpHttpServer({ receiver: fixture.receiver })
  url = await app.listen({ host: '127.0.0.1', port: 0 })
}

beforeEach(() => open())
afterEach(() => app.close())

type Body = Buffer | string | Readable | null

async function post(
  headers: Record<string, string>,
  body: Body = null,
  path = '/v1/traces',
  method: Dispatcher.HttpMethod = 'POST',
) {
  const answer = await send(`${url}${path}`, { method, headers, body })
  const bytes = new Uint8Array(await answer.body.arrayBuffer())
  const type = String(answer.headers['content-type'])
  const encoding = type === 'application/x-protobuf' ? 'protobuf' : 'json'
  return { status: answer.statusCode, headers: answer.headers, type, bytes, error: () => decodeStatus(encoding, bytes) }
}

const inFlightBytes = () => fixture.metric('faultline_otlp_in_flight_bytes')

describe('an export request', () => {
  it("is handed over as it was sent, with the key's Grid and the times that are believed", async () => {
    const body = randomBytes(300_000)
    const answer = await post(PROTOBUF, body, '/v1/logs')
    expect(answer).toMatchObject({ status: 200, type: 'application/x-protobuf' })
    expect(fixture.requests).toHaveLength(1)
    const [request] = fixture.requests
    expect(request).toMatchObject({ gridId: GRID_ID, signal: 'logs', encoding: 'protobuf' })
    expect(Buffer.from(request?.body ?? []).equals(body)).toBe(true)
    expect(request?.oldestNs).toBe(BigInt(fixture.nowMs - 7 * 86_400_000) * 1_000_000n)
    expect(request?.newestNs).toBe(BigInt(fixture.nowMs + 3_600_000) * 1_000_000n)
  })

  it('is believed from when on records are kept, where some had to make room', async () => {
    const recordsFromMs = fixture.nowMs - 3_600_000
    fixture.grid = { ...fixture.grid, recordsFromMs }
    await post(PROTOBUF, 'x', '/v1/logs')
    expect(fixture.requests[0]?.oldestNs).toBe(BigInt(recordsFromMs) * 1_000_000n)
  })

  it('is refused where the Grid was removed while it was on its way', async () => {
    fixture.isGridRemoved = true
    expect((await post(PROTOBUF, 'x', '/v1/logs')).status).toBe(401)
    expect(fixture.requests).toEqual([])
  })

  it('owns the memory of its body, so that it can be passed to another thread', async () => {
    await post(PROTOBUF, 'small')
    await post({ ...PROTOBUF, 'content-encoding': 'gzip' }, gzipSync('small'))
    for (const { body } of fixture.requests) expect(body.buffer.byteLength).toBe(body.byteLength)
  })

  it('may be JSON with a charset, and is answered in JSON', async () => {
    const answer = await post({ ...JSON_TYPE, 'content-type': 'Application/JSON; charset=utf-8' }, '{}', '/v1/metrics')
    expect(answer).toMatchObject({ status: 200, type: 'application/json' })
    expect(Buffer.from(answer.bytes).toString()).toBe('{}')
    expect(fixture.requests[0]).toMatchObject({ signal: 'metrics', encoding: 'json' })
  })

  it('may be empty, with or without an encoding', async () => {
    for (const headers of [PROTOBUF, JSON_TYPE, { ...PROTOBUF, 'content-encoding': 'gzip' }]) {
      expect((await post(headers)).status).toBe(200)
    }
    expect(fixture.requests.map(({ body }) => body.length)).toEqual([0, 0, 0])
  })

  it('may be compressed with gzip or deflate', async () => {
    const body = randomBytes(200_000)
    expect((await post({ ...PROTOBUF, 'content-encoding': 'gzip' }, gzipSync(body))).status).toBe(200)
    expect((await post({ ...PROTOBUF, 'content-encoding': 'deflate' }, deflateSync(body))).status).toBe(200)
    expect((await post({ ...PROTOBUF, 'content-encoding': 'identity' }, body)).status).toBe(200)
    for (const request of fixture.requests) expect(Buffer.from(request.body).equals(body)).toBe(true)
  })

  it('may be 64 MiB large', async () => {
    expect((await post(PROTOBUF, Buffer.alloc(64 * MIB, 1))).status).toBe(200)
    expect((await post({ ...PROTOBUF, 'content-encoding': 'gzip' }, gzipSync(Buffer.alloc(64 * MIB)))).status).toBe(200)
    expect(fixture.requests.map(({ body }) => body.length)).toEqual([64 * MIB, 64 * MIB])
    expect(await inFlightBytes()).toBe('0')
  })

  it('is told how many of its records were rejected, and why', async () => {
    fixture.onExport = async () => ({ accepted: 3, rejected: 2, reason: 'no span id', truncatedAttributes: 4 })
    expect(decodePartialSuccess((await post(PROTOBUF, 'x')).bytes)).toEqual({ rejected: 2, errorMessage: 'no span id' })
    const text = Buffer.from((await post(JSON_TYPE, 'x')).bytes).toString()
    expect(JSON.parse(text).partialSuccess).toMatchObject({ errorMessage: 'no span id' })
    expect(await fixture.metric('faultline_otlp_records_total{signal="traces",outcome="accepted"}')).toBe('6')
    expect(await fixture.metric('faultline_otlp_records_total{signal="traces",outcome="rejected"}')).toBe('4')
    expect(await fixture.metric('faultline_otlp_truncated_attributes_total{signal="traces"}')).toBe('8')
  })
})

describe('a sender', () => {
  it('without a valid key gets 401', async () => {
    const { 'api-key': _, ...none } = PROTOBUF
    for (const headers of [
      none,
      { ...none, 'api-key': '' },
      { ...none, 'api-key': 'wrong' },
      { ...none, authorization: `Bearer ${INGEST_KEY}` },
    ]) {
      const answer = await post(headers, 'x')
      expect(answer).toMatchObject({ status: 401, type: 'application/x-protobuf' })
      expect(answer.headers['www-authenticate']).toBeDefined()
      expect(answer.error().code).toBe(16)
    }
    expect((await post({ 'content-type': 'application/json' }, '{}')).error()).toMatchObject({ code: 16 })
    expect(fixture.requests).toHaveLength(0)
  })

  it('without the scope gets 403', async () => {
    const answer = await post({ ...JSON_TYPE, 'api-key': READ_KEY }, '{}')
    expect(answer).toMatchObject({ status: 403, type: 'application/json' })
    expect(answer.error()).toMatchObject({ code: 7, message: expect.stringContaining('ingest') })
  })

  it('is served in a trial, and gets 403 where the subscription has ended', async () => {
    fixture.grid.subscriptionState = 'trial'
    expect((await post(PROTOBUF, 'x')).status).toBe(200)
    fixture.grid.subscriptionState = 'suspended'
    const answer = await post(PROTOBUF, 'x')
    expect(answer.status).toBe(403)
    expect(answer.error()).toMatchObject({ code: 7, message: expect.stringContaining('suspended') })
  })

  it('that failed 30 times in a minute gets 429, but a valid key from the same address is served', async () => {
    const statuses: number[] = []
    for (let i = 0; i < 31; i++) statuses.push((await post({ ...JSON_TYPE, 'api-key': `guess ${i}` }, '{}')).status)
    expect(statuses).toEqual([...Array(30).fill(401), 429])
    const answer = await post({ ...JSON_TYPE, 'api-key': 'guess' }, '{}')
    expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1)
    expect((await post(JSON_TYPE, '{}')).status).toBe(200)
  })

  it('over the quota of its Grid gets 429 and is told when to come back', async () => {
    fixture.grid.ingestQuota = 10
    fixture.onExport = async () => ({ accepted: 45, rejected: 0, reason: '', truncatedAttributes: 0 })
    expect((await post(PROTOBUF, 'x')).status).toBe(200)
    const answer = await post(PROTOBUF, 'x')
    expect(answer.status).toBe(429)
    expect(answer.headers['retry-after']).toBe('4')
    expect(answer.error()).toMatchObject({ code: 8, retryDelayMs: 3_500 })
    fixture.nowMs += 3_500
    expect((await post(PROTOBUF, 'x')).status).toBe(200)
    expect(await fixture.metric('faultline_otlp_refused_total{reason="quota"}')).toBe('1')
  })

  it('is refused with 503 when the server is stopping', async () => {
    fixture.receiver.stop()
    const answer = await post(PROTOBUF, 'x')
    expect(answer.status).toBe(503)
    expect(answer.error().code).toBe(14)
  })
})

describe('a wrong request', () => {
  it('by another method gets 405 with what is allowed', async () => {
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD'] as const) {
      const answer = await post({}, null, '/v1/metrics', method)
      expect(answer.status).toBe(405)
      expect(answer.headers).toMatchObject({ allow: 'POST' })
      if (method !== 'HEAD') expect(answer.error()).toMatchObject({ code: 12 })
    }
  })

  it('to another path gets 404 with a Status', async () => {
    const answer = await post(PROTOBUF, 'x', '/v1/profiles')
    expect(answer).toMatchObject({ status: 404, type: 'application/x-protobuf' })
    expect(answer.error().code).toBe(5)
  })

  it('of another content type gets 415', async () => {
    for (const type of ['text/plain', 'application/protobuf', 'nonsense', 'application/x-www-form-urlencoded']) {
      const answer = await post({ 'content-type': type, 'api-key': INGEST_KEY }, 'x')
      expect(answer).toMatchObject({ status: 415, type: 'application/json' })
    }
    expect((await post({ 'api-key': INGEST_KEY }, Buffer.from('x'))).status).toBe(415)
  })

  it('in another encoding gets 415 and is told which there are', async () => {
    const answer = await post({ ...PROTOBUF, 'content-encoding': 'br' }, 'x')
    expect(answer.status).toBe(415)
    expect(answer.headers['accept-encoding']).toContain('gzip')
    expect((await post({ ...PROTOBUF, 'content-encoding': 'gzip, gzip' }, gzipSync('x'))).status).toBe(415)
  })

  it('whose gzip is broken gets 400, wherever it breaks', async () => {
    const whole = gzipSync(randomBytes(100_000))
    for (const body of [
      Buffer.from('not gzip'),
      whole.subarray(0, 5),
      whole.subarray(0, 50_000),
      whole.subarray(0, -1),
    ]) {
      const answer = await post({ ...PROTOBUF, 'content-encoding': 'gzip' }, body)
      expect(answer.status).toBe(400)
      expect(answer.error().code).toBe(3)
    }
    expect(fixture.requests).toHaveLength(0)
    expect(await inFlightBytes()).toBe('0')
  })

  it('that nobody can decode gets 400 with the reason', async () => {
    fixture.onExport = async () => {
      throw new MalformedRequest('field 7 ends beyond the message \ud800')
    }
    const answer = await post(PROTOBUF, 'x')
    expect(answer.status).toBe(400)
    expect(answer.error()).toMatchObject({ code: 3, message: 'field 7 ends beyond the message \ufffd' })
  })

  it('over 64 MiB gets 413, whether it says so or not', async () => {
    const declared = await post(PROTOBUF, Buffer.alloc(100_000_000))
    expect(declared.status).toBe(413)
    const chunks = Readable.from(Array.from({ length: 70 }, () => Buffer.alloc(MIB)))
    const chunked = await post(PROTOBUF, chunks)
    expect(chunked.status).toBe(413)
    expect(chunked.error().message).toContain(String(64 * MIB))
    expect(fixture.requests).toHaveLength(0)
    expect(await inFlightBytes()).toBe('0')
  })

  it('that is a gzip bomb gets 413 without being unpacked', async () => {
    const member = gzipSync(Buffer.alloc(32 * MIB))
    const before = process.memoryUsage().arrayBuffers
    const answer = await post({ ...PROTOBUF, 'content-encoding': 'gzip' }, Buffer.concat(Array(200).fill(member)))
    expect(answer.status).toBe(413)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(256 * MIB)
    expect(await inFlightBytes()).toBe('0')
  })
})

describe('a fault of the server', () => {
  it('that passes is 503 and says when to try again', async () => {
    fixture.onExport = async () => {
      throw new StoreUnavailable('The disk is nearly full.')
    }
    const answer = await post(PROTOBUF, 'x')
    expect(answer.status).toBe(503)
    expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1)
    expect(answer.error()).toMatchObject({ code: 14, message: 'The disk is nearly full.' })
    expect(answer.error().retryDelayMs).toBeGreaterThan(0)
  })

  it('that nobody foresaw is 503, says nothing of the inside, and is logged with the request id', async () => {
    fixture.onExport = async () => {
      throw new TypeError('secret of the inside')
    }
    const answer = await post({ ...PROTOBUF, 'x-request-id': 'abc-123' }, 'x')
    expect(answer.status).toBe(503)
    expect(answer.headers['x-request-id']).toBe('abc-123')
    expect(answer.error().message).not.toContain('inside')
    expect(fixture.logged.join()).toContain('abc-123')
    expect(fixture.logged.join()).toContain('secret of the inside')
  })

  it('makes a request id of its own where the given one is unsafe', async () => {
    const answer = await post({ ...PROTOBUF, 'x-request-id': 'a b' }, 'x')
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
  })
})

describe('when the budget is spent', () => {
  beforeEach(async () => {
    await app.close()
    await open(MIB)
  })

  it('requests are refused with 503 at once, until one is answered', async () => {
    const { promise, resolve } = withResolvers()
    const handedOver = withResolvers()
    fixture.onExport = async () => {
      handedOver.resolve()
      await promise
      return { accepted: 1, rejected: 0, reason: '', truncatedAttributes: 0 }
    }
    const first = post(PROTOBUF, Buffer.alloc(MIB))
    await handedOver.promise
    const refused = await post(JSON_TYPE, '{}')
    expect(refused.status).toBe(503)
    expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1)
    expect(await fixture.metric('faultline_otlp_refused_total{reason="overloaded"}')).toBe('1')
    resolve()
    expect((await first).status).toBe(200)
    expect((await post(JSON_TYPE, '{}')).status).toBe(200)
    expect(await inFlightBytes()).toBe('0')
  })
})

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => undefined
  const promise = new Promise<void>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}
