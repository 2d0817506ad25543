import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DuckDbStore } from '../server/storage/duckdb/duckdb-store.ts'
import type { TelemetryReader } from '../server/storage/telemetry-store.ts'
import { ask, TRACES } from './api.ts'
import { exportersFor, TRANSPORTS } from './exporters.ts'
import { pointsOf } from './sdk-points.ts'
import {
  ATTRIBUTES,
  at,
  LINKED,
  nsOf,
  resourceOf,
  sendAll,
  sendTrace,
  storedAttributes,
  TEXT,
} from './sdk-telemetry.ts'
import { GRID_ID, type ServerProcess, startServer } from './server-process.ts'
import { openStoredTelemetry } from './stored-telemetry.ts'

type Sent = Awaited<ReturnType<typeof sendAll>>

/** As answers show them: arrays are JSON texts, integers beyond 2^53 are texts. */
const SHOWN = {
  ...ATTRIBUTES,
  big: '1152921504606846976',
  texts: JSON.stringify(ATTRIBUTES['texts']),
  integers: '[1,-2]',
  doubles: '[1.5,2]',
  booleans: '[true,false]',
  empty: '[]',
}
const STORED = storedAttributes(ATTRIBUTES)
const EXCEPTION = {
  'exception.type': 'TypeError',
  'exception.message': 'x is "undefined"',
  'exception.stacktrace': 'TypeError: x\n    at y (z.js:1:2)',
}
const iso = (ms: number) => new Date(Number(nsOf(at(ms)) / 1_000_000n)).toISOString()
const serviceOf = (transport: string) => `käse/${transport}`

let dataDir: string
let server: ServerProcess
const sentBy = new Map<string, Sent>()

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'faultline-exporters-'))
  server = await startServer(dataDir)
  for (const transport of TRANSPORTS) {
    sentBy.set(transport.name, await sendAll(exportersFor(server, transport), serviceOf(transport.name)))
  }
})

afterAll(async () => {
  await server.stop()
  await rm(dataDir, { recursive: true, force: true })
})

function sentOver(transport: string): Sent {
  const sent = sentBy.get(transport)
  if (!sent) throw new Error(`Nothing was sent over ${transport}.`)
  return sent
}

describe.each(TRANSPORTS)('what the official exporters send over $name, the API answers', ({ name }) => {
  const serviceName = serviceOf(name)

  it('as span details', async () => {
    const sent = sentOver(name)
    const { status, body } = await ask(server, `${TRACES}/details/${sent.client}`)
    expect(status).toBe(200)
    expect(body).toEqual({
      traceId: sent.traceId,
      spanId: sent.client,
      parentSpanId: sent.root,
      serviceName,
      operationName: TEXT,
      spanKind: 'CLIENT',
      status: 'ERROR',
      statusMessage: 'broke: 漢字',
      startTime: iso(10),
      endTime: iso(20),
      duration: 11,
      attributes: { 'service.name': serviceName, 'host.cpus': 8, 'host.tags': '["a","b"]', ...SHOWN },
    })
  })

  it('as the details of a span that has hardly anything', async () => {
    const { body } = await ask(server, `${TRACES}/details/${sentOver(name).root.toUpperCase()}`)
    expect(body).toEqual({
      traceId: sentOver(name).traceId,
      spanId: sentOver(name).root,
      parentSpanId: null,
      serviceName,
      operationName: 'GET /käse/{id}',
      spanKind: 'SERVER',
      status: 'OK',
      statusMessage: '',
      startTime: iso(0),
      endTime: iso(100),
      duration: 100,
      attributes: { ...resourceOf(serviceName), 'host.tags': '["a","b"]' },
    })
  })

  it('as tags and events of a span', async () => {
    const spanId = sentOver(name).client
    expect((await ask(server, `${TRACES}/spans/${spanId}/tags`)).body).toEqual({ spanId, tags: SHOWN })
    expect((await ask(server, `${TRACES}/spans/${spanId}/events`)).body).toEqual({
      spanId,
      events: [
        { name: 'cache miss 💥', timestamp: iso(11), attributes: SHOWN },
        { name: 'exception', timestamp: iso(12), attributes: EXCEPTION },
        { name: 'nothing more to say', timestamp: iso(13), attributes: {} },
      ],
    })
  })

  it('as the spans of a trace, of every kind', async () => {
    const { traceId, root, client, producer, consumer, internal } = sentOver(name)
    const item = (spanId: string, operationName: string, spanKind: string, start: number, duration: number) => ({
      spanId,
      parentSpanId: spanId === root ? null : root,
      serviceName,
      operationName,
      spanKind,
      status: spanId === client || spanId === consumer ? 'ERROR' : 'OK',
      startTime: iso(start),
      duration,
    })
    const { body, headers } = await ask(server, `${TRACES}/correlations/${traceId.toUpperCase()}/spans`)
    expect(headers.get('x-total-count')).toBe('5')
    expect(body).toEqual({
      traceId,
      spans: [
        item(root, 'GET /käse/{id}', 'SERVER', 0, 100),
        item(client, TEXT, 'CLIENT', 10, 11),
        item(producer, 'orders publish', 'PRODUCER', 20, 1),
        item(consumer, 'orders process', 'CONSUMER', 30, 5),
        item(internal, 'think', 'INTERNAL', 40, 0),
      ],
    })
  })

  it('as the logs of a trace', async () => {
    const { traceId, client: spanId } = sentOver(name)
    expect((await ask(server, `${TRACES}/correlations/${traceId}/logs`)).body).toEqual({
      traceId,
      logs: [
        {
          timestamp: iso(15),
          severityLevel: 'Warning',
          body: TEXT,
          serviceName,
          spanId,
          attributes: { ...SHOWN, map: '{"inner":["AQI=",{"deep":true}]}', bytes: '/w==' },
        },
        {
          timestamp: iso(18),
          severityLevel: 'Fatal',
          body: 'gave up',
          serviceName,
          spanId,
          attributes: { 'exception.type': 'OutOfStock', 'exception.message': 'no käse left' },
        },
      ],
    })
  })

  it('as the errors of a trace: an exception event, an exception in a log, and a span that only failed', async () => {
    const { traceId, client, consumer } = sentOver(name)
    const logged = { 'exception.type': 'OutOfStock', 'exception.message': 'no käse left' }
    const failed = { 'http.response.status_code': 502 }
    const error = (ms: number, spanId: string, exceptionType: string, message: string, attributes: object) => ({
      timestamp: iso(ms),
      spanId,
      serviceName,
      exceptionType,
      message,
      stackTrace: '',
      attributes,
    })
    expect((await ask(server, `${TRACES}/correlations/${traceId}/errors`)).body).toEqual({
      traceId,
      errors: [
        {
          ...error(12, client, 'TypeError', 'x is "undefined"', EXCEPTION),
          stackTrace: EXCEPTION['exception.stacktrace'],
        },
        error(18, client, 'OutOfStock', 'no käse left', logged),
        error(35, consumer, '502', '', failed),
      ],
    })
  })

  it('to a search by everything that can be searched for', async () => {
    const { traceId, client } = sentOver(name)
    const { body } = await ask(server, TRACES, {
      body: {
        rangeStart: iso(0),
        rangeEnd: iso(1000),
        serviceName,
        operationName: TEXT,
        minDuration: 11,
        maxDuration: 11,
        status: 'ERROR',
        tags: { text: TEXT, integer: -42, big: '1152921504606846976', yes: true, 'host.cpus': '8' },
      },
    })
    const item = { traceId, spanId: client, serviceName, operationName: TEXT, duration: 11, status: 'ERROR' }
    expect(body).toEqual({
      items: [{ ...item, startTime: iso(10), endTime: iso(20) }],
      totalCount: 1,
      page: 1,
      pageSize: 20,
    })
  })
})

it.each(TRANSPORTS)('the exporters may compress what they send over $name', async (transport) => {
  const { traces } = exportersFor(server, transport, { OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip' })
  const sent = await sendTrace(traces, `zipped/${transport.name}`)
  expect(await ask(server, `${TRACES}/details/${sent.client}`)).toMatchObject({
    status: 200,
    body: { traceId: sent.traceId, operationName: TEXT },
  })
})

it('lists everything that was sent as filter options', async () => {
  const { body } = await ask<Record<string, string[]>>(server, `${TRACES}/filters`)
  expect(body['serviceNames']).toEqual(expect.arrayContaining(TRANSPORTS.map(({ name }) => serviceOf(name))))
  const operations = ['GET /käse/{id}', TEXT, 'orders process', 'orders publish', 'think']
  expect(new Set(body['operationNames'])).toEqual(new Set(operations))
  expect(body['statusValues']).toEqual(['ERROR', 'OK'])
  const keys = [...Object.keys(ATTRIBUTES), ...Object.keys(resourceOf('any')), 'http.response.status_code']
  expect(new Set(body['tagKeys'])).toEqual(new Set(keys))
})

describe.each(TRANSPORTS)('what the official exporters send over $name, the store keeps', ({ name }) => {
  const serviceName = serviceOf(name)
  const origin = { serviceName, resource: resourceOf(serviceName), scopeName: 'shop-library', scopeVersion: '3.4' }
  const everything = { startNs: nsOf(at(0)), endNs: nsOf(at(0)) + 600_000_000_000n }
  let store: DuckDbStore
  let reader: TelemetryReader

  beforeAll(async () => {
    await server.stop()
    store = await openStoredTelemetry(dataDir)
    reader = store.reader(GRID_ID)
  })
  afterAll(() => store.close())

  it('as a span with its events, links, flags and scope', async () => {
    const sent = sentOver(name)
    expect(await reader.span(sent.client)).toEqual({
      traceId: sent.traceId,
      spanId: sent.client,
      parentSpanId: sent.root,
      operationName: TEXT,
      kind: 'CLIENT',
      status: 'ERROR',
      statusMessage: 'broke: 漢字',
      startNs: nsOf(at(10, 1)),
      durationNs: 10_500_000n,
      traceState: '',
      flags: 0x101,
      droppedAttributes: 0,
      attributes: STORED,
      events: [
        { name: 'cache miss 💥', timeNs: nsOf(at(11, 7)), attributes: STORED },
        { name: 'exception', timeNs: nsOf(at(12, 999_999)), attributes: EXCEPTION },
        { name: 'nothing more to say', timeNs: nsOf(at(13)), attributes: {} },
      ],
      links: [{ traceId: LINKED.traceId, spanId: LINKED.spanId, attributes: { why: 'retry', times: 3 } }],
      ...origin,
    })
  })

  it('as log records', async () => {
    const sent = sentOver(name)
    const context = { traceId: sent.traceId, spanId: sent.client, flags: 1 }
    const none = { traceId: '', spanId: '', flags: 0, severityNumber: 0, severityText: '', eventName: '' }
    const logs = (await reader.logs(everything, 100)).filter((log) => log.serviceName === serviceName)
    expect(logs).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{32}$/),
        timeNs: nsOf(at(15, 3)),
        observedNs: nsOf(at(16, 4)),
        severityNumber: 14,
        severityText: 'WARNING',
        body: TEXT,
        eventName: 'stock.low',
        ...context,
        droppedAttributes: 0,
        attributes: { ...STORED, map: { inner: ['AQI=', { deep: true }] }, bytes: '/w==' },
        ...origin,
      },
      {
        id: expect.any(String),
        timeNs: nsOf(at(17)),
        observedNs: nsOf(at(17)),
        ...none,
        body: '{"code":7,"tags":["x"]}',
        droppedAttributes: 0,
        attributes: {},
        ...origin,
      },
      {
        id: expect.any(String),
        timeNs: nsOf(at(18)),
        observedNs: nsOf(at(18)),
        ...none,
        ...context,
        severityNumber: 21,
        body: 'gave up',
        droppedAttributes: 0,
        attributes: { 'exception.type': 'OutOfStock', 'exception.message': 'no käse left' },
        ...origin,
      },
    ])
    expect(new Set(logs.map(({ id }) => id)).size).toBe(3)
  })

  it('as metric points: gauge, sums, histogram and exponential histogram', async () => {
    const expected = pointsOf(sentOver(name).metrics).map((point) => ({ ...point, ...origin }))
    const names = new Set(expected.map((point) => point.name))
    expect(names).toEqual(new Set(['requests', 'open', 'load', 'latency', 'exponential']))
    for (const metric of names) {
      const found = (await reader.metricPoints(metric, everything, 100)).filter((p) => p.serviceName === serviceName)
      const wanted = expected.filter((point) => point.name === metric)
      expect(found).toHaveLength(wanted.length)
      expect(found).toEqual(expect.arrayContaining(wanted))
    }
  })
})
