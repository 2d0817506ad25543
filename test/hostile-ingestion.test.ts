import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createGzip, gzipSync } from 'node:zlib'
import { status as grpc } from '@grpc/grpc-js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decodeStatus } from '../server/receive/testing/otlp-answer-fixture.ts'
import { ask, TRACES } from './api.ts'
import { callGrpc } from './grpc-call.ts'
import { type OtlpAnswer, type Signal, sendOtlp, spanIdOf, text, traceIdOf, traceRequest } from './otlp.ts'
import { GRID_ID, OWNER_KEY, type ServerProcess, startServer } from './server-process.ts'

const MIB = 1024 * 1024
const PROTOBUF = { 'content-type': 'application/x-protobuf' }
const SIGNALS: Signal[] = ['traces', 'logs', 'metrics']
const nowMs = Date.now()
const GOOD = { traceId: traceIdOf(1), spanId: spanIdOf(1), startMs: nowMs - 1000 }

let dataDir: string
let server: ServerProcess
let readKey: string
let bomb: Buffer

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'faultline-ingestion-'))
  server = await startServer(dataDir)
  bomb = await gzipOf(512)
  const body = { name: 'reader', role: 'Owner', scopes: ['read', 'manage'] }
  readKey = (await ask<{ secret: string }>(server, `/apm/grids/${GRID_ID}/keys`, { body })).body.secret
  expect((await sendOtlp(server.url, 'traces', traceRequest([GOOD]))).status).toBe(200)
})

afterAll(async () => {
  await server.stop()
  await rm(dataDir, { recursive: true, force: true })
})

/** OTLP's own Status, in the encoding of the request. */
function expectStatus(answer: OtlpAnswer, http: number, code: number, message: RegExp): void {
  const type = answer.headers.get('content-type') ?? ''
  const encoding = type.includes('json') ? 'json' : 'protobuf'
  const status = decodeStatus(encoding, answer.body)
  expect({ http: answer.status, code: status.code }).toEqual({ http, code })
  expect(status.message).toMatch(message)
  expect(status.message).not.toMatch(/duckdb|sqlite|\.[jt]s:\d|node_modules/i)
}

describe.each(['the API port', 'the OTLP port'])('on %s', (place) => {
  const send = (signal: Signal, body: object | Uint8Array | string, headers = {}) =>
    sendOtlp(place === 'the API port' ? server.url : server.otlpHttpUrl, signal, body, headers)

  it('a body that is not what it claims to be is 400, in its own encoding', async () => {
    for (const signal of SIGNALS) {
      for (const body of ['{', '[]', '7', '"text"', '{"resourceSpans":7,"resourceLogs":7,"resourceMetrics":7}']) {
        const answer = await send(signal, body)
        expectStatus(answer, 400, grpc.INVALID_ARGUMENT, /./)
        expect(answer.headers.get('content-type')).toBe('application/json')
      }
      for (const body of [[0xff], [0x0a, 0x05, 0x01], Buffer.from('not protobuf at all')]) {
        const answer = await send(signal, Uint8Array.from(body), PROTOBUF)
        expectStatus(answer, 400, grpc.INVALID_ARGUMENT, /./)
        expect(answer.headers.get('content-type')).toBe('application/x-protobuf')
      }
    }
  })

  it('a body that cannot be unpacked is 400, one in an unknown encoding or type 415', async () => {
    const whole = gzipSync(JSON.stringify(traceRequest([GOOD])))
    const zipped = { 'content-encoding': 'gzip' }
    expect((await send('traces', whole, zipped)).status).toBe(200)
    expectStatus(await send('traces', whole.subarray(0, -9), zipped), 400, grpc.INVALID_ARGUMENT, /decompress/)
    expectStatus(await send('traces', 'not gzip', zipped), 400, grpc.INVALID_ARGUMENT, /decompress/)
    const compressed = { 'content-encoding': 'compress' }
    expectStatus(await send('traces', whole, compressed), 415, grpc.UNIMPLEMENTED, /encoding/)
    for (const type of ['text/plain', 'application/grpc', 'application/xml']) {
      expectStatus(await send('traces', '{}', { 'content-type': type }), 415, grpc.INVALID_ARGUMENT, /content type/)
    }
  })

  it('an empty request succeeds, and fields that nobody knows are ignored', async () => {
    for (const signal of SIGNALS) {
      expect((await send(signal, {})).json()).toEqual({})
      expect(await send(signal, new Uint8Array(), PROTOBUF)).toMatchObject({ status: 200, body: new Uint8Array() })
      expect((await send(signal, { colour: { of: ['the', 'sky'] } })).json()).toEqual({})
    }
  })

  it('a missing or wrong key is 401, a key without the scope 403', async () => {
    const unknown = await send('traces', traceRequest([GOOD]), { 'api-key': 'no such key, I am afraid' })
    expectStatus(unknown, 401, grpc.UNAUTHENTICATED, /key/i)
    expect(unknown.headers.get('www-authenticate')).toBeTruthy()
    expectStatus(await send('logs', {}, { 'api-key': '' }), 401, grpc.UNAUTHENTICATED, /key/i)
    expectStatus(await send('traces', {}, { 'api-key': readKey }), 403, grpc.PERMISSION_DENIED, /"ingest"/)
  })

  it('records that cannot be stored are counted and explained, and the rest is kept', async () => {
    const times = { tooOld: nowMs - 8 * 86_400_000, tooNew: nowMs + 2 * 3_600_000 }
    const kept = { ...GOOD, spanId: spanIdOf(place === 'the API port' ? 2 : 3) }
    const answer = await send(
      'traces',
      traceRequest([
        { ...GOOD, traceId: '' },
        { ...GOOD, spanId: '0'.repeat(16) },
        { ...GOOD, spanId: spanIdOf(90), startMs: times.tooOld },
        kept,
        { ...GOOD, spanId: spanIdOf(91), startMs: times.tooNew },
        { ...GOOD, spanId: spanIdOf(92), durationMs: -3_600_000 },
      ]),
    )
    expect(answer.status).toBe(200)
    expect(answer.json()).toEqual({
      partialSuccess: { rejectedSpans: '5', errorMessage: expect.stringMatching(/id.*|retention/) },
    })
    expect((await ask(server, `${TRACES}/details/${kept.spanId}`)).status).toBe(200)
    for (const number of [90, 91, 92]) {
      expect((await ask(server, `${TRACES}/details/${spanIdOf(number)}`)).status).toBe(404)
    }
  })

  it('over 64 MiB is 413: declared, undeclared, and once unpacked', async () => {
    const base = place === 'the API port' ? server.url : server.otlpHttpUrl
    const headers = { 'api-key': OWNER_KEY, ...PROTOBUF }
    expect(await stream(base, { ...headers, 'content-length': '100000000' }, 100_000_000)).toBe(413)
    expect(await stream(base, headers, 100_000_000)).toBe(413)
    const peakBytes = await memoryPeakBytes()
    const answer = await send('traces', bomb, { ...PROTOBUF, 'content-encoding': 'gzip' })
    expectStatus(answer, 413, grpc.RESOURCE_EXHAUSTED, /after decompression/)
    expect((await memoryPeakBytes()) - peakBytes).toBeLessThan(256 * MIB)
  })
})

it('only POST is taken, and the OTLP port serves nothing but OTLP', async () => {
  for (const base of [server.url, server.otlpHttpUrl]) {
    const answer = await fetch(`${base}/v1/traces`, { headers: { 'api-key': OWNER_KEY } })
    expect({ status: answer.status, allow: answer.headers.get('allow') }).toEqual({ status: 405, allow: 'POST' })
  }
  for (const path of ['/', `${TRACES}/filters?api-version=2.0`, '/oauth/token', '/v1/profiles']) {
    const answer = await fetch(`${server.otlpHttpUrl}${path}`, { headers: { 'api-key': OWNER_KEY } })
    expect({ path, status: answer.status, body: await answer.json() }).toMatchObject({
      path,
      status: 404,
      body: { code: grpc.NOT_FOUND },
    })
  }
})

it('a record with far too much in it is cut to what is kept of one', async () => {
  const attributes = Array.from({ length: 300 }, (_, i) => text(`key ${i}`, i === 0 ? 'x'.repeat(100_000) : 'y'))
  const spanId = spanIdOf(50)
  expect((await sendOtlp(server.url, 'traces', traceRequest([{ ...GOOD, spanId, attributes }]))).status).toBe(200)
  const { body } = await ask<{ tags: Record<string, string> }>(server, `${TRACES}/spans/${spanId}/tags`)
  expect(Object.keys(body.tags)).toHaveLength(256)
  expect(body.tags['key 0']).toBe('x'.repeat(65_536))
})

it('a value nested without end is no danger', async () => {
  const deep = `${'{"arrayValue":{"values":['.repeat(100_000)}{}${']}}'.repeat(100_000)}`
  const marked = { ...GOOD, spanId: spanIdOf(51), attributes: [{ key: 'deep', value: 'HERE' }] }
  const answer = await sendOtlp(server.url, 'traces', JSON.stringify(traceRequest([marked])).replace('"HERE"', deep))
  expect([200, 400]).toContain(answer.status)
})

it('over gRPC every refusal has its status', async () => {
  const good = Uint8Array.of()
  expect(await callGrpc(server, good)).toMatchObject({ code: grpc.OK })
  expect(await callGrpc(server, good, { key: '' })).toMatchObject({ code: grpc.UNAUTHENTICATED })
  expect(await callGrpc(server, good, { key: 'no such key, I am afraid' })).toMatchObject({
    code: grpc.UNAUTHENTICATED,
  })
  expect(await callGrpc(server, good, { key: readKey })).toMatchObject({ code: grpc.PERMISSION_DENIED })
  expect(await callGrpc(server, good, { path: '/some.Service/Method' })).toMatchObject({ code: grpc.UNIMPLEMENTED })
  expect(await callGrpc(server, Buffer.from('nonsense'))).toMatchObject({ code: grpc.INVALID_ARGUMENT })
  expect(await callGrpc(server, Buffer.alloc(65 * MIB))).toMatchObject({ code: grpc.RESOURCE_EXHAUSTED })
  expect(await callGrpc(server, Buffer.alloc(65 * MIB), { gzip: true })).toMatchObject({
    code: grpc.RESOURCE_EXHAUSTED,
  })
})

it('a Grid without a subscription that serves takes nothing in, and answers only about itself', async () => {
  const setState = (state: string) =>
    ask(server, `/apm/grids/${GRID_ID}/subscription`, { method: 'PUT', body: { plan: 'standard', state } })
  expect((await setState('suspended')).status).toBe(200)
  const refused = () => sendOtlp(server.url, 'traces', traceRequest([GOOD]))
  await expect.poll(async () => (await refused()).status, { timeout: 10_000 }).toBe(403)
  expectStatus(await refused(), 403, grpc.PERMISSION_DENIED, /suspended/)
  expect((await ask(server, `${TRACES}/filters`)).body).toMatchObject({
    type: 'urn:faultline:problem:no-active-subscription',
    status: 403,
  })
  expect((await setState('active')).status).toBe(200)
  await expect.poll(async () => (await refused()).status, { timeout: 10_000 }).toBe(200)
})

it('goes on serving after all of this, with what was kept and nothing else', async () => {
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
  const { body } = await ask<{ spans: { spanId: string }[] }>(server, `${TRACES}/correlations/${GOOD.traceId}/spans`)
  const ids = body.spans.map(({ spanId }) => spanId)
  expect(new Set(ids.filter((id) => id !== spanIdOf(51)))).toEqual(new Set([1, 2, 3, 50].map(spanIdOf)))
  expect(server.output()).not.toMatch(/"level":"?(error|50)/)
  expect(server.output()).not.toContain(OWNER_KEY)
})

/** A body of zeroes that is sent as long as nobody answers; resolves to the status. */
async function stream(base: string, headers: Record<string, string>, bytes: number): Promise<number> {
  const sending = request(`${base}/v1/traces`, { method: 'POST', headers })
  sending.on('error', () => undefined)
  const answered = once(sending, 'response')
  const chunk = Buffer.alloc(MIB)
  const write = (left: number) => {
    if (left <= 0) sending.end()
    else sending.write(chunk.subarray(0, left), () => write(left - MIB))
  }
  write(bytes)
  const [response] = await answered
  response.resume()
  sending.destroy()
  return response.statusCode
}

/** So many MiB of zeroes, packed. */
async function gzipOf(mebibytes: number): Promise<Buffer> {
  const gzip = createGzip({ level: 1 })
  const chunk = Buffer.alloc(MIB)
  let left = mebibytes
  const write = () => {
    if (left-- > 0) gzip.write(chunk, write)
    else gzip.end()
  }
  write()
  const parts: Buffer[] = []
  for await (const part of gzip) parts.push(part)
  return Buffer.concat(parts)
}

/** Zero where the system does not tell. */
async function memoryPeakBytes(): Promise<number> {
  const status = await readFile(`/proc/${server.pid}/status`, 'utf8').catch(() => '')
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024
}
