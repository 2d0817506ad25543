import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { windowOfMs } from '../server/domain/time-window.ts'
import { ask, TRACES } from './api.ts'
import { nanoseconds, sendOtlp, spanIdOf, text, traceIdOf, traceRequest } from './otlp.ts'
import { GRID_ID, type ServerProcess, startServer } from './server-process.ts'
import { openStoredTelemetry } from './stored-telemetry.ts'

const nowMs = Date.now()
const iso = (ms: number) => new Date(ms).toISOString()
const resource = { attributes: [text('service.name', 'shop')] }

let dataDir: string
let server: ServerProcess

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'faultline-telemetry-'))
  server = await startServer(dataDir)
})

afterAll(async () => {
  await server.stop()
  await rm(dataDir, { recursive: true, force: true })
})

async function send(signal: 'traces' | 'logs' | 'metrics', request: object): Promise<void> {
  const answer = await sendOtlp(server.otlpHttpUrl, signal, request)
  expect({ status: answer.status, ...answer.json() }).toEqual({ status: 200 })
}

it('keeps every type of value that OTLP has, in the form that the contract gives it', async () => {
  const values: Record<string, [object, unknown]> = {
    text: [{ stringValue: '漢字' }, '漢字'],
    yes: [{ boolValue: true }, true],
    'an integer as text': [{ intValue: '-7' }, -7],
    'an integer as number': [{ intValue: 7 }, 7],
    'the largest safe integer': [{ intValue: '9007199254740991' }, 9007199254740991],
    'the largest integer': [{ intValue: '9223372036854775807' }, '9223372036854775807'],
    'the smallest integer': [{ intValue: '-9223372036854775808' }, '-9223372036854775808'],
    double: [{ doubleValue: 1.25 }, 1.25],
    'no number': [{ doubleValue: 'NaN' }, 'NaN'],
    'without end': [{ doubleValue: '-Infinity' }, '-Infinity'],
    bytes: [{ bytesValue: 'AP8=' }, 'AP8='],
    list: [
      { arrayValue: { values: [{ intValue: '1' }, { stringValue: 'a' }, { boolValue: false }] } },
      '[1,"a",false]',
    ],
    map: [
      { kvlistValue: { values: [{ key: 'a', value: { kvlistValue: { values: [text('b', 'c')] } } }] } },
      '{"a":{"b":"c"}}',
    ],
    nothing: [{}, ''],
  }
  const attributes = Object.entries(values).map(([key, [value]]) => ({ key, value }))
  const span = { traceId: traceIdOf(1), spanId: spanIdOf(1), startMs: nowMs - 1000, attributes }
  await send('traces', traceRequest([span]))
  const { body } = await ask<{ tags: object }>(server, `${TRACES}/spans/${span.spanId}/tags`)
  expect(body.tags).toEqual(Object.fromEntries(Object.entries(values).map(([key, [, shown]]) => [key, shown])))
})

it('puts a trace together whose spans come in any order, from clocks that disagree, with ids in any letter case', async () => {
  const traceId = traceIdOf(2)
  const [root, child, grandchild] = [spanIdOf(21), spanIdOf(22), spanIdOf(23)]
  const start = { traceId: traceId.toUpperCase(), startMs: nowMs - 2000 }
  await send(
    'traces',
    traceRequest([{ ...start, spanId: grandchild.toUpperCase(), parentSpanId: child, durationMs: -5000 }]),
  )
  await send('traces', traceRequest([{ ...start, spanId: child, parentSpanId: root.toUpperCase(), durationMs: 20 }]))
  await send('traces', traceRequest([{ ...start, spanId: root, durationMs: 30 }]))
  const { body } = await ask(server, `${TRACES}/correlations/${traceId}/spans`)
  expect(body).toMatchObject({
    traceId,
    spans: [
      { spanId: root, parentSpanId: null, duration: 30 },
      { spanId: child, parentSpanId: root, duration: 20 },
      { spanId: grandchild, parentSpanId: child, duration: 0 },
    ],
  })
})

it('keeps the first of two spans with the same ids, and each of two traces with the same span id', async () => {
  const span = { traceId: traceIdOf(3), spanId: spanIdOf(3), startMs: nowMs - 3000 }
  await send(
    'traces',
    traceRequest([
      { ...span, name: 'first' },
      { ...span, name: 'second' },
    ]),
  )
  await send('traces', traceRequest([{ ...span, name: 'third', startMs: nowMs - 2500 }]))
  await send('traces', traceRequest([{ ...span, traceId: traceIdOf(4), name: 'newest', startMs: nowMs - 2000 }]))
  const spansOf = async (number: number) =>
    (await ask(server, `${TRACES}/correlations/${traceIdOf(number)}/spans`)).body['spans']
  expect(await spansOf(3)).toMatchObject([{ operationName: 'first' }])
  expect(await spansOf(4)).toMatchObject([{ operationName: 'newest' }])
  expect((await ask(server, `${TRACES}/details/${span.spanId}`)).body).toMatchObject({ operationName: 'newest' })
})

it('finds a span that comes six days late in the time that it is of', async () => {
  const startMs = nowMs - 6 * 86_400_000
  await send('traces', traceRequest([{ traceId: traceIdOf(5), spanId: spanIdOf(5), startMs }]))
  const range = { rangeStart: iso(startMs), rangeEnd: iso(startMs + 1) }
  expect((await ask(server, TRACES, { body: range })).body).toMatchObject({
    totalCount: 1,
    items: [{ traceId: traceIdOf(5), startTime: iso(startMs) }],
  })
  const missed = { rangeStart: iso(startMs + 1), rangeEnd: iso(startMs + 2) }
  expect((await ask(server, TRACES, { body: missed })).body).toMatchObject({ totalCount: 0, items: [] })
})

it('knows a trace by its logs alone', async () => {
  const traceId = traceIdOf(6)
  const levels = { Trace: 1, Debug: 8, Information: 0, Warning: 13, Error: 20, Fatal: 24 }
  const logRecords = Object.entries(levels).map(([level, severityNumber], i) => ({
    timeUnixNano: nanoseconds(nowMs + i),
    severityNumber,
    body: { kvlistValue: { values: [text('level', level)] } },
    traceId,
  }))
  await send('logs', { resourceLogs: [{ resource, scopeLogs: [{ logRecords }] }] })
  expect((await ask(server, `${TRACES}/correlations/${traceId}/spans`)).body).toEqual({ traceId, spans: [] })
  expect((await ask(server, `${TRACES}/correlations/${traceId}/errors`)).body).toEqual({ traceId, errors: [] })
  expect((await ask(server, `${TRACES}/correlations/${traceId}/logs`)).body).toEqual({
    traceId,
    logs: Object.keys(levels).map((severityLevel, i) => ({
      timestamp: iso(nowMs + i),
      severityLevel,
      body: `{"level":"${severityLevel}"}`,
      serviceName: 'shop',
      spanId: '',
      attributes: {},
    })),
  })
})

it('keeps metric points that the SDK does not make: summaries, deltas, and points without a value', async () => {
  const times = { startTimeUnixNano: nanoseconds(nowMs - 5000), timeUnixNano: nanoseconds(nowMs) }
  const quantileValues = [
    { quantile: 0, value: 1 },
    { quantile: 0.99, value: 12.5 },
  ]
  const metrics = [
    { name: 'summary', unit: 's', summary: { dataPoints: [{ ...times, count: '7', sum: 40.5, quantileValues }] } },
    {
      name: 'delta',
      sum: { aggregationTemporality: 1, isMonotonic: true, dataPoints: [{ ...times, asInt: '9007199254740993' }] },
    },
    { name: 'silent', gauge: { dataPoints: [{ ...times, flags: 1 }] } },
  ]
  const request = { resourceMetrics: [{ resource, scopeMetrics: [{ scope: { name: 'lib' }, metrics }] }] }
  await send('metrics', request)
  await send('metrics', request)
  await server.kill()

  const store = await openStoredTelemetry(dataDir)
  const points = async (name: string) =>
    await store.reader(GRID_ID).metricPoints(name, windowOfMs(nowMs - 1000, nowMs + 1000), 10)
  const common = { startNs: BigInt(times.startTimeUnixNano), timeNs: BigInt(times.timeUnixNano), serviceName: 'shop' }
  const value = { count: 7, sum: 40.5, quantiles: quantileValues }
  expect(await points('summary')).toMatchObject([{ ...common, type: 'summary', unit: 's', value, scopeName: 'lib' }])
  const sum = { type: 'sum', temporality: 'delta', monotonic: true, value: 9007199254740993n }
  expect(await points('delta')).toMatchObject([{ ...common, ...sum }])
  expect(await points('silent')).toMatchObject([{ ...common, type: 'gauge', flags: 1, value: null }])
  await store.close()
})
