import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask, TRACES } from './api.ts'
import { exportersFor, TRANSPORTS } from './exporters.ts'
import {
  ATTRIBUTES,
  at,
  EXCEPTION_ATTRIBUTES,
  nsOf,
  resourceOf,
  SHOWN_ATTRIBUTES,
  sendAll,
  sendTrace,
  TEXT,
} from './sdk-telemetry.ts'
import { type ServerProcess, startServer } from './server-process.ts'

type Sent = Awaited<ReturnType<typeof sendAll>>

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
      attributes: { 'service.name': serviceName, 'host.cpus': 8, 'host.tags': '["a","b"]', ...SHOWN_ATTRIBUTES },
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
    expect((await ask(server, `${TRACES}/spans/${spanId}/tags`)).body).toEqual({ spanId, tags: SHOWN_ATTRIBUTES })
    expect((await ask(server, `${TRACES}/spans/${spanId}/events`)).body).toEqual({
      spanId,
      events: [
        { name: 'cache miss 💥', timestamp: iso(11), attributes: SHOWN_ATTRIBUTES },
        { name: 'exception', timestamp: iso(12), attributes: EXCEPTION_ATTRIBUTES },
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
          attributes: { ...SHOWN_ATTRIBUTES, map: '{"inner":["AQI=",{"deep":true}]}', bytes: '/w==' },
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
          ...error(12, client, 'TypeError', 'x is "undefined"', EXCEPTION_ATTRIBUTES),
          stackTrace: EXCEPTION_ATTRIBUTES['exception.stacktrace'],
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
