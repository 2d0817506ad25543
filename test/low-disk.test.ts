import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { status as grpc } from '@grpc/grpc-js'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ask, TRACES } from './api.ts'
import { callGrpc } from './grpc-call.ts'
import { nanoseconds, sendOtlp, spanIdOf, text, traceIdOf, traceRequest } from './otlp.ts'
import { type ServerProcess, startServer } from './server-process.ts'

const span = (number: number) => ({ traceId: traceIdOf(number), spanId: spanIdOf(number), startMs: Date.now() - 1000 })
const REASON = /the disk is nearly full: \d+ MiB free, \d+ MiB are kept free/

let dataDir: string
let server: ServerProcess

/** A server that had room when the first span came, and has none any more. */
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'faultline-disk-'))
  const before = await startServer(dataDir)
  expect((await sendOtlp(before.url, 'traces', traceRequest([span(1)]))).status).toBe(200)
  await before.stop()
  server = await startServer(dataDir, { FAULTLINE_MIN_FREE_DISK: '1000TB' })
})

afterAll(async () => {
  await server.stop()
  await rm(dataDir, { recursive: true, force: true })
})

it('refuses telemetry of every kind over HTTP with 503, says why and when to try again', async () => {
  const resource = { attributes: [text('service.name', 'shop')] }
  const timeUnixNano = nanoseconds(Date.now())
  const logRecords = [{ timeUnixNano, body: { stringValue: 'hello' } }]
  const metrics = [{ name: 'load', gauge: { dataPoints: [{ timeUnixNano, asDouble: 1 }] } }]
  for (const [signal, request] of [
    ['traces', traceRequest([span(2)])],
    ['logs', { resourceLogs: [{ resource, scopeLogs: [{ logRecords }] }] }],
    ['metrics', { resourceMetrics: [{ resource, scopeMetrics: [{ metrics }] }] }],
  ] as const) {
    for (const url of [server.url, server.otlpHttpUrl]) {
      const answer = await sendOtlp(url, signal, request)
      expect(answer.status).toBe(503)
      expect(answer.json()).toMatchObject({ code: grpc.UNAVAILABLE, message: expect.stringMatching(REASON) })
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThanOrEqual(1)
    }
  }
})

it('refuses it over gRPC as unavailable', async () => {
  // An ExportTraceServiceRequest as small as one can be: a span with ids and times.
  const ids = [0x0a, 16, ...Buffer.alloc(16, 1), 0x12, 8, ...Buffer.alloc(8, 1)]
  const now = Buffer.alloc(8)
  now.writeBigUInt64LE(BigInt(Date.now()) * 1_000_000n)
  const nested = (tag: number, bytes: number[]) => [tag, bytes.length, ...bytes]
  const request = nested(0x0a, nested(0x12, nested(0x12, [...ids, 0x39, ...now, 0x41, ...now])))
  expect(await callGrpc(server, Uint8Array.from(request))).toMatchObject({
    code: grpc.UNAVAILABLE,
    details: expect.stringMatching(REASON),
  })
})

it('goes on answering about what it has, and took nothing of what it refused', async () => {
  expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
  expect((await ask(server, `${TRACES}/details/${spanIdOf(1)}`)).body).toMatchObject({ traceId: traceIdOf(1) })
  expect((await ask(server, `${TRACES}/details/${spanIdOf(2)}`)).status).toBe(404)
  expect((await ask(server, `${TRACES}/filters`)).body).toMatchObject({ serviceNames: ['shop'] })
})
