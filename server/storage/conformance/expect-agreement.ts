import { expect } from 'vitest'
import type { MetricPoint } from '../../domain/metric-point.ts'
import type { SpanSummary } from '../../domain/span.ts'
import type { TelemetryReader } from '../telemetry-store.ts'
import type { Question } from './random-questions.ts'

const ALL = 1_000_000

/** Both readers give the same answer, in the same order wherever the interface promises one. */
export async function expectAgreement(
  reader: TelemetryReader,
  oracle: TelemetryReader,
  question: Question,
): Promise<void> {
  const asked = JSON.stringify(question, (_key, value) => (typeof value === 'bigint' ? `${value}n` : value))
  if (question.method === 'traceSpans') return expectSameTrace(reader, oracle, question.args, asked)
  if (question.method === 'metricPoints') return expectSamePoints(reader, oracle, question.args, asked)
  expect(await answerOf(reader, question), asked).toEqual(await answerOf(oracle, question))
}

/** Lists without an order are sorted. */
async function answerOf(reader: TelemetryReader, question: Question): Promise<unknown> {
  switch (question.method) {
    case 'serviceRequests':
      return byServiceName(await reader.serviceRequests(...question.args))
    case 'unansweredCalls':
      return byServiceName(await reader.unansweredCalls(...question.args))
    case 'traceFilterOptions': {
      const options = await reader.traceFilterOptions(...question.args)
      return { ...options, statusValues: options.statusValues.toSorted() }
    }
    case 'span':
      return reader.span(...question.args)
    case 'traceErrorSpans':
      return reader.traceErrorSpans(...question.args)
    case 'traceLogs':
      return reader.traceLogs(...question.args)
    case 'searchTraces':
      return reader.searchTraces(...question.args)
    case 'logs':
      return reader.logs(...question.args)
    default:
      throw new Error(`${question.method} is compared in a way of its own`)
  }
}

function byServiceName<Row extends { serviceName: string }>(rows: Row[]): Row[] {
  return rows.toSorted((a, b) => (a.serviceName < b.serviceName ? -1 : 1))
}

/** On a tie a parent comes before its child; how unrelated spans stand to each other is told by nothing but siblings' ids. */
async function expectSameTrace(
  reader: TelemetryReader,
  oracle: TelemetryReader,
  [traceId, limit]: [string, number],
  asked: string,
): Promise<void> {
  const whole = await reader.traceSpans(traceId, ALL)
  const expected = await oracle.traceSpans(traceId, ALL)
  const bySpanId = (a: SpanSummary, b: SpanSummary) => (a.spanId < b.spanId ? -1 : 1)
  expect(whole.spans.toSorted(bySpanId), asked).toEqual(expected.spans.toSorted(bySpanId))
  expect(whole.totalCount, asked).toBe(expected.totalCount)
  const places = new Map(whole.spans.map((span, place) => [span.spanId, place]))
  for (const [place, span] of whole.spans.entries()) {
    const next = whole.spans[place + 1]
    expect(next === undefined || span.startNs <= next.startNs, `${asked}: ascending`).toBe(true)
    const parent = whole.spans[places.get(span.parentSpanId) ?? -1]
    const tied = parent?.startNs === span.startNs
    expect(!tied || (places.get(parent.spanId) ?? 0) < place, `${asked}: parents first`).toBe(true)
    const siblings = next?.startNs === span.startNs && next.parentSpanId === span.parentSpanId
    expect(!siblings || span.spanId < next.spanId, `${asked}: siblings by id`).toBe(true)
  }
  const cut = { spans: whole.spans.slice(0, limit), totalCount: whole.totalCount }
  expect(await reader.traceSpans(traceId, limit), asked).toEqual(cut)
}

/** Points of the same moment come in any order, so the limit may cut between any of them. */
async function expectSamePoints(
  reader: TelemetryReader,
  oracle: TelemetryReader,
  [name, window, limit]: Parameters<TelemetryReader['metricPoints']>,
  asked: string,
): Promise<void> {
  const whole = await reader.metricPoints(name, window, ALL)
  const expected = await oracle.metricPoints(name, window, ALL)
  const times = (points: MetricPoint[]) => points.map((point) => point.timeNs)
  expect(times(whole), asked).toEqual(times(expected))
  expect(whole.map(textOf).toSorted(), asked).toEqual(expected.map(textOf).toSorted())
  const cut = await reader.metricPoints(name, window, limit)
  expect(times(cut), asked).toEqual(times(expected).slice(0, limit))
  expect(new Set(whole.map(textOf)), asked).toEqual(new Set([...whole, ...cut].map(textOf)))
}

function textOf(point: MetricPoint): string {
  const fields = Object.entries(point).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify(fields, (_key, value) => (typeof value === 'bigint' ? `${value}n` : value))
}
