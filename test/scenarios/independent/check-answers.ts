import { mismatches, Percentile } from './expected.ts'
import {
  expectedHealth,
  expectedService,
  expectedServices,
  expectedTrends,
  figuresOf,
  groupsOf,
  percentileOf,
  windowsOf,
} from './expected-answers.ts'
import { serviceChanges, windowFigures } from './expected-comparison.ts'
import type { RawGrid, RawWindow } from './raw-figures.ts'

/** Answers with the body of a question of Diagnostics. */
export type AskFor = (path: string, query: Record<string, string | number>) => Promise<Record<string, unknown>>

/** A moment to ask about: milliseconds from that of the traffic, and minutes. */
export interface Moment {
  atMs: number
  window: number
}

export type Datetime = (ms: number) => string

/** Everything that is wrong with the answers about one moment. Which errors are the same only whole traces tell. */
export async function checkMoment(
  grid: RawGrid,
  { atMs, window }: Moment,
  ask: AskFor,
  datetime: Datetime,
  tellsErrors: boolean,
): Promise<string[]> {
  const query = { at: datetime(atMs), window }
  const atNs = atMs * 1e6
  const { timestamp, ...health } = await ask('/health', query)
  const names = [...new Set(grid.spans.filter(({ startNs }) => startNs < atNs).map(({ service }) => service))]
  const services = await Promise.all(
    names.map(async (name) => {
      const { topErrors, ...detail } = await ask(`/service/${name}`, query)
      const { topErrors: errors, ...expected } = expectedService(grid, name, atNs, window)
      return [
        ...mismatches(detail, expected, `service ${name}`),
        ...(tellsErrors ? mismatches(topErrors, errors, `service ${name}.topErrors`) : []),
      ]
    }),
  )
  return [
    ...mismatches(timestamp, query.at, 'health.timestamp'),
    ...mismatches(health, expectedHealth(grid, atNs, window), 'health'),
    ...mismatches(await ask('/services', query), expectedServices(grid, atNs, window), 'services'),
    ...checkTrends(await ask('/trends', query), expectedTrends(grid, atNs, window)),
    ...checkSlowest(await ask('/slowest-endpoints', query), grid, windowsOf(atNs, window).current),
    ...services.flat(),
  ]
}

interface TrendsAnswer {
  latency: { trend: string; changePercent: number; current: { p95: number }; baseline: { p95: number } }
  errorRate: { trend: string; changePercent: number; current: number; baseline: number }
  throughput: { trend: string; changePercent: number; currentRps: number; baselineRps: number }
}

function checkTrends(body: Record<string, unknown>, expected: ReturnType<typeof expectedTrends>): string[] {
  const { requestCounts, baselineMinutes, ...figures } = expected
  const { latency, errorRate, throughput } = body as unknown as TrendsAnswer
  const shown = {
    latency: { current: latency.current, baseline: latency.baseline },
    errorRate: { current: errorRate.current, baseline: errorRate.baseline },
    throughput: { currentRps: throughput.currentRps, baselineRps: throughput.baselineRps },
  }
  const isComparable = requestCounts[0] >= 30 && baselineMinutes >= 5
  const isEnough = isComparable && requestCounts[1] >= 30
  const points = Math.abs(figures.errorRate.current - figures.errorRate.baseline)
  const p95 = (percentile: Percentile, value: number) => (percentile.isExact ? percentile.ms : value)
  return [
    ...mismatches(shown, figures, 'trends'),
    ...checkChange('latency', latency, isComparable, isEnough, [
      p95(figures.latency.baseline.p95, latency.baseline.p95),
      p95(figures.latency.current.p95, latency.current.p95),
    ]),
    ...checkChange('errorRate', errorRate, isComparable, isEnough && points > 0.1, [
      figures.errorRate.baseline,
      figures.errorRate.current,
    ]),
    ...checkChange('throughput', throughput, isComparable, isEnough, [
      figures.throughput.baselineRps.perSecond,
      figures.throughput.currentRps.perSecond,
    ]),
  ]
}

/** Percentiles that are known within 1 % change by a percentage that is known that well, too. */
function checkChange(
  name: string,
  { trend, changePercent }: { trend: string; changePercent: number },
  isComparable: boolean,
  mayChange: boolean,
  [before, after]: [number, number],
): string[] {
  const percent = before === 0 ? (after === 0 ? 0 : 100) : ((after - before) / before) * 100
  const tolerance = name === 'latency' ? 0.05 + Math.abs(percent) / 500 : 0.005_001
  const isMet = Math.abs(changePercent - (isComparable ? percent : 0)) <= tolerance
  const expected = !mayChange || Math.abs(percent) <= 5 ? 'stable' : percent > 0 ? 'increasing' : 'decreasing'
  const isNearLimit = Math.abs(Math.abs(percent) - 5) < 0.1
  return [
    ...(isMet ? [] : [`trends.${name}.changePercent is ${changePercent} instead of ${percent}`]),
    ...(trend === expected || isNearLimit ? [] : [`trends.${name}.trend is ${trend} instead of ${expected}`]),
  ]
}

interface SlowEndpoint {
  rank: number
  serviceName: string
  operation: string
  p99LatencyMs: number
  requestCount: number
}

function checkSlowest(body: Record<string, unknown>, grid: RawGrid, window: RawWindow): string[] {
  const endpoints = body['endpoints'] as SlowEndpoint[]
  const requests = grid.requests(window).filter(({ kind }) => kind === 'SERVER')
  const groups = groupsOf(requests, ({ service, operation }) => JSON.stringify([service, operation]))
  const wrong = endpoints.flatMap((endpoint, index) => {
    const { serviceName, operation } = endpoint
    const own = groups.get(JSON.stringify([serviceName, operation])) ?? []
    groups.delete(JSON.stringify([serviceName, operation]))
    const { apdex: _, ...figures } = figuresOf(own)
    const [p95LatencyMs, p99LatencyMs] = [percentileOf(own, 95), percentileOf(own, 99)]
    const expected = { rank: index + 1, serviceName, operation, ...figures, p95LatencyMs, p99LatencyMs }
    return mismatches(endpoint, expected, `slowest-endpoints.${index}`)
  })
  const places = endpoints.map(({ requestCount, p99LatencyMs }) => (requestCount < 5 ? 0 : 1e12) + p99LatencyMs)
  const isSorted = places.every((place, i) => i === 0 || place <= (places[i - 1] ?? 0))
  const last = endpoints.at(-1)
  const left = [...groups.values()].filter(
    (own) => endpoints.length < 20 || (own.length >= 5 && percentileOf(own, 99).ms > 1.02 * (last?.p99LatencyMs ?? 0)),
  )
  return [
    ...wrong,
    ...(isSorted ? [] : ['slowest-endpoints are not in order']),
    ...(left.length === 0 ? [] : [`slowest-endpoints leave out ${left[0]?.[0]?.operation}`]),
  ]
}

/** Two windows in milliseconds from the moment of the traffic. */
export interface Comparison {
  baseline: [startMs: number, endMs: number]
  current: [startMs: number, endMs: number]
}

const METRICS = ['avgLatencyMs', 'p95LatencyMs', 'errorRate', 'throughputRps', 'apdex'] as const

interface ComparisonAnswer {
  baseline: Record<string, number>
  current: Record<string, number>
  deltas: Record<string, { absolute: number; percent: number }>
  regressions: {
    serviceName: string
    metric: string
    baselineValue: number
    currentValue: number
    changePercent: number
  }[]
}

export async function checkComparison(
  grid: RawGrid,
  asked: Comparison,
  ask: AskFor,
  datetime: Datetime,
): Promise<string[]> {
  const body = await ask('/compare', {
    baselineStart: datetime(asked.baseline[0]),
    baselineEnd: datetime(asked.baseline[1]),
    currentStart: datetime(asked.current[0]),
    currentEnd: datetime(asked.current[1]),
  })
  const answer = body as unknown as ComparisonAnswer
  const [baseline, current] = [rawWindow(asked.baseline), rawWindow(asked.current)]
  const [before, after] = [baseline, current].map((window) => windowFigures(grid.requests(window), window))
  if (!before || !after) throw new Error('two windows have two results')
  const rangeOf = ([startMs, endMs]: [number, number]) => ({ rangeStart: datetime(startMs), rangeEnd: datetime(endMs) })
  return [
    ...mismatches(answer.baseline, { ...rangeOf(asked.baseline), ...before }, 'compare.baseline'),
    ...mismatches(answer.current, { ...rangeOf(asked.current), ...after }, 'compare.current'),
    ...METRICS.flatMap((metric) => checkDelta(metric, answer, numberOf(before[metric]), numberOf(after[metric]))),
    ...checkRegressions(answer, serviceChanges(grid, baseline, current)),
  ]
}

/** Against exact figures where they are exact, else against those of the answer. */
function checkDelta(
  metric: string,
  answer: ComparisonAnswer,
  before: number | undefined,
  after: number | undefined,
): string[] {
  const { absolute = Number.NaN, percent = Number.NaN } = answer.deltas[metric] ?? {}
  const was = before ?? answer.baseline[metric] ?? 0
  const is = after ?? answer.current[metric] ?? 0
  const isExact = before !== undefined && after !== undefined
  const expected = was === 0 ? (is === 0 ? 0 : 100) : ((is - was) / was) * 100
  return [
    ...(Math.abs(absolute - (is - was)) <= (isExact ? 0.005_001 : 0.015_001)
      ? []
      : [`compare.deltas.${metric}.absolute is ${absolute} instead of ${is - was}`]),
    ...(Math.abs(percent - expected) <= (isExact ? 0.005_001 : 0.05 + Math.abs(expected) / 100)
      ? []
      : [`compare.deltas.${metric}.percent is ${percent} instead of ${expected}`]),
  ]
}

function checkRegressions({ regressions }: ComparisonAnswer, changes: ReturnType<typeof serviceChanges>): string[] {
  const told = new Set(regressions.map(({ serviceName, metric }) => `${serviceName} ${metric}`))
  const wrong = changes.flatMap(({ serviceName, metric, verdict }) => {
    const isTold = told.delete(`${serviceName} ${metric}`)
    if (verdict === 'may' || isTold === (verdict === 'must')) return []
    return [`compare.regressions ${isTold ? 'has' : 'lacks'} ${serviceName} ${metric}`]
  })
  const figures = regressions.flatMap(({ serviceName, metric, baselineValue, currentValue, changePercent }) => {
    const change = changes.find((each) => each.serviceName === serviceName && each.metric === metric)
    const { before = Number.NaN, after = Number.NaN } = change ?? {}
    const percent = before === 0 ? 100 : ((after - before) / before) * 100
    const isNear = (value: number, expected: number) =>
      Math.abs(value - expected) <= 0.005_001 + Math.abs(expected) / 100
    const isMet =
      isNear(baselineValue, before) &&
      isNear(currentValue, after) &&
      Math.abs(changePercent - percent) <= 0.01 + Math.abs(percent + 100) / 40
    return isMet
      ? []
      : [
          `compare.regressions of ${serviceName} ${metric} are ${[baselineValue, currentValue, changePercent]} instead of ${[before, after, percent]}`,
        ]
  })
  const sizes = regressions.map(({ changePercent }) => Math.abs(changePercent))
  const isSorted = sizes.every((size, i) => i === 0 || size <= (sizes[i - 1] ?? 0))
  return [
    ...wrong,
    ...figures,
    ...(isSorted ? [] : ['compare.regressions are not in order']),
    ...[...told].map((name) => `compare.regressions has ${name}`),
  ]
}

function rawWindow([startMs, endMs]: [number, number]): RawWindow {
  return { startNs: startMs * 1e6, endNs: endMs * 1e6 }
}

/** Undefined for a percentile that is only known within 1 %. */
function numberOf(value: number | Percentile | { perSecond: number }): number | undefined {
  if (typeof value === 'number') return value
  if (value instanceof Percentile) return value.isExact ? value.ms : undefined
  return value.perSecond
}
