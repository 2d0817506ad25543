import { expect } from 'vitest'
import type { MetricPoint } from '../../domain/metric-point.ts'
import type { SpanSummary, TraceSpan } from '../../domain/span.ts'
import type { ResourceActivities } from '../diagnostics-reader.ts'
import type { TelemetryReader } from '../telemetry-store.ts'
import { failureRows } from './failure-rows.ts'
import type { Question } from './random-questions.ts'
import { expectSameUpToTies, inOneOrder, textOf } from './same-rows.ts'

const ALL = 1_000_000

/** Both readers give the same answer, in the same order wherever the interface promises one. */
export async function expectAgreement(
  reader: TelemetryReader,
  oracle: TelemetryReader,
  question: Question,
): Promise<void> {
  const asked = textOf(question)
  switch (question.method) {
    case 'traceSpans':
      return expectSameTrace(reader, oracle, question.args, asked)
    case 'metricPoints':
    case 'pointsOf':
    case 'spansOfTraces':
      return expectSameCut(reader, oracle, question, asked)
    case 'sampleSpans':
      return expectSample(reader, oracle, question.args, asked)
    default:
      expect(await answerOf(reader, question), asked).toEqual(await answerOf(oracle, question))
  }
}

/** Lists without an order are sorted. */
async function answerOf(reader: TelemetryReader, question: Question): Promise<unknown> {
  switch (question.method) {
    case 'requests':
      return inOneOrder(await reader.requests(...question.args))
    case 'requestSteps':
      return inOneOrder(await reader.requestSteps(...question.args))
    case 'logSteps':
      return inOneOrder(await reader.logSteps(...question.args))
    case 'edges':
      return inOneOrder(await reader.edges(...question.args))
    case 'requestSeries':
      return inOneOrder(await reader.requestSeries(...question.args))
    case 'edgeSeries':
      return inOneOrder(await reader.edgeSeries(...question.args))
    case 'serviceSpans':
      return inOneOrder(await reader.serviceSpans(...question.args))
    case 'wholeSpans':
      return inOneOrder(await reader.wholeSpans(...question.args))
    case 'logPatterns':
      return inOneOrder(await reader.logPatterns(...question.args))
    case 'failures':
      return failureRows(await reader.failures(...question.args))
    case 'logCounts':
      return inOneOrder(await reader.logCounts(...question.args))
    case 'drawnTraces': {
      const { startNs, shapes, gaps } = await reader.drawnTraces(...question.args)
      return [
        startNs,
        inOneOrder(shapes.map((shape) => ({ ...shape, counts: [...shape.counts] }))),
        inOneOrder(gaps.map((way) => ({ ...way, gapsNs: [...way.gapsNs], minutes: [...way.minutes] }))),
      ]
    }
    case 'resourceActivity':
      return withResources(await reader.resourceActivity(...question.args))
    case 'hourVersions':
      return (await reader.hourVersions()).map((hour) => hour.hourStartNs)
    case 'traceFilterOptions': {
      const options = await reader.traceFilterOptions(...question.args)
      return { ...options, statusValues: options.statusValues.toSorted() }
    }
    default:
      return orderedAnswerOf(reader, question)
  }
}

async function orderedAnswerOf(reader: TelemetryReader, question: Question): Promise<unknown> {
  switch (question.method) {
    case 'span':
      return reader.span(...question.args)
    case 'traceErrorSpans':
      return reader.traceErrorSpans(...question.args)
    case 'traceLogs':
      return reader.traceLogs(...question.args)
    case 'searchTraces':
      return reader.searchTraces(...question.args)
    case 'searchLogs':
      return reader.searchLogs(...question.args)
    case 'log':
      return reader.log(...question.args)
    case 'firstLogOfSpan':
      return reader.firstLogOfSpan(...question.args)
    case 'logFilterOptions':
      return reader.logFilterOptions(...question.args)
    case 'logs':
      return reader.logs(...question.args)
    case 'sampleLogs':
      return reader.sampleLogs(...question.args)
    case 'metricNames':
      return reader.metricNames(...question.args)
    case 'firstSpanNs':
      return reader.firstSpanNs()
    default:
      throw new Error(`${question.method} is compared in a way of its own`)
  }
}

/** Each row with its resource in place of the index, which backends are free to choose. */
function withResources({ resources, rows }: ResourceActivities): unknown {
  const minutes = rows.map((row) => row.minuteNs)
  expect(minutes, 'by time').toEqual(minutes.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0)))
  expect(new Set(resources.map(textOf)).size, 'each resource once').toBe(resources.length)
  return inOneOrder(rows.map(({ resourceIndex, ...row }) => ({ ...row, resource: resources[resourceIndex] })))
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

/** Rows of the same rank come in any order, so the limit may cut between any of them. */
async function expectSameCut(
  reader: TelemetryReader,
  oracle: TelemetryReader,
  question: Extract<Question, { method: 'metricPoints' | 'pointsOf' | 'spansOfTraces' }>,
  asked: string,
): Promise<void> {
  const [, window, limit] = question.args
  const ask = async (from: TelemetryReader, atMost: number): Promise<(MetricPoint | TraceSpan)[]> => {
    if (question.method === 'metricPoints') return from.metricPoints(question.args[0], window, atMost)
    if (question.method === 'pointsOf') return from.pointsOf(question.args[0], window, atMost)
    return from.spansOfTraces(question.args[0], window, atMost)
  }
  const [whole, cut] = [await ask(reader, ALL), await ask(reader, limit)]
  const [expected, expectedCut] = [await ask(oracle, ALL), await ask(oracle, limit)]
  const rankOf = (row: MetricPoint | TraceSpan) => ('timeNs' in row ? row.timeNs : `${row.traceId} ${row.startNs}`)
  expectSameUpToTies({ whole, cut, expected, expectedCut }, rankOf, asked)
}

/** Which spans are chosen is a backend's own affair, but it keeps to its choice. */
async function expectSample(
  reader: TelemetryReader,
  oracle: TelemetryReader,
  [window, filter, limit]: Parameters<TelemetryReader['sampleSpans']>,
  asked: string,
): Promise<void> {
  const whole = inOneOrder(await reader.sampleSpans(window, filter, ALL))
  expect(whole, asked).toEqual(inOneOrder(await oracle.sampleSpans(window, filter, ALL)))
  const sample = (await reader.sampleSpans(window, filter, limit)).map(textOf)
  const texts = new Set(whole.map(textOf))
  expect(new Set(sample).size, asked).toBe(Math.min(limit, whole.length))
  expect(
    sample.every((text) => texts.has(text)),
    asked,
  ).toBe(true)
  const again = (await reader.sampleSpans(window, filter, limit)).map(textOf)
  expect(again.toSorted(), asked).toEqual(sample.toSorted())
}
