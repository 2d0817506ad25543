import { Rate } from './expected.ts'
import { figuresOf, groupsOf, percentileOf } from './expected-answers.ts'
import type { RawGrid, RawWindow } from './raw-figures.ts'
import type { RawSpan } from './raw-span.ts'

/** What a window of a comparison shows of these requests. */
export function windowFigures(requests: RawSpan[], { startNs, endNs }: RawWindow) {
  const { avgLatencyMs, errorRate, apdex } = figuresOf(requests)
  return {
    avgLatencyMs,
    p95LatencyMs: percentileOf(requests, 95),
    errorRate,
    throughputRps: new Rate(requests.length / ((endNs - startNs) / 1e9)),
    apdex,
  }
}

export interface ServiceChange {
  serviceName: string
  metric: string
  before: number
  after: number
  /** Whether a regression must be told of, must not be, or may. */
  verdict: 'must' | 'must not' | 'may'
}

/** Every metric of every service in both windows, judged so roughly that only what is beyond doubt is asked for. */
export function serviceChanges(grid: RawGrid, baseline: RawWindow, current: RawWindow): ServiceChange[] {
  const before = groupsOf(grid.requests(baseline), ({ service }) => service)
  const after = groupsOf(grid.requests(current), ({ service }) => service)
  return [...after].flatMap(([serviceName, now]) => {
    const then = before.get(serviceName) ?? []
    const seconds = [baseline, current].map(({ startNs, endNs }) => (endNs - startNs) / 1e9)
    return changesOf(serviceName, then, now, seconds as [number, number])
  })
}

function changesOf(serviceName: string, then: RawSpan[], now: RawSpan[], [secondsThen, secondsNow]: [number, number]) {
  const [a, b] = [figuresOf(then), figuresOf(now)]
  const [p95Then, p95Now] = [percentileOf(then, 95).ms, percentileOf(now, 95).ms]
  const [rpsThen, rpsNow] = [then.length / secondsThen, now.length / secondsNow]
  const few = Math.min(then.length, now.length) < 30
  const ranks = rankScore(then, now, ({ durationNs }) => durationNs)
  const moods = rankScore(then, now, (span) => -figuresOf([span]).apdex)
  const rate = (b.errorRate - a.errorRate) / 100
  const pooled = (a.errorRate * then.length + b.errorRate * now.length) / 100 / (then.length + now.length)
  const rates = rate / Math.sqrt(Math.max(1e-9, pooled * (1 - pooled) * (1 / then.length + 1 / now.length)))
  const counts = (rpsThen - rpsNow) / Math.sqrt(Math.max(1e-9, rpsThen / secondsThen + rpsNow / secondsNow))
  const change = (
    metric: string,
    before: number,
    after: number,
    worse: number,
    isEnough: boolean | undefined,
    score: number,
  ) =>
    ({
      serviceName,
      metric,
      before,
      after,
      verdict:
        few || worse <= 0 || isEnough === false || Math.abs(score) < 1.5
          ? 'must not'
          : isEnough && score > 6
            ? 'must'
            : 'may',
    }) as ServiceChange
  return [
    change(
      'avgLatencyMs',
      a.avgLatencyMs,
      b.avgLatencyMs,
      b.avgLatencyMs - a.avgLatencyMs,
      grown(a.avgLatencyMs, b.avgLatencyMs),
      ranks,
    ),
    change('p95LatencyMs', p95Then, p95Now, 1, grown(p95Then, p95Now), ranks),
    change('errorRate', a.errorRate, b.errorRate, rate, rate >= 0.01, rates),
    change('throughputRps', rpsThen, rpsNow, rpsThen - rpsNow, grown(rpsThen, rpsThen + (rpsThen - rpsNow)), counts),
    change('apdex', a.apdex, b.apdex, a.apdex - b.apdex, grown(a.apdex, 2 * a.apdex - b.apdex), moods),
  ]
}

/** By at least 20 %; undefined where a percentile that is known within 1 % could be on either side. */
function grown(before: number, after: number): boolean | undefined {
  const factor = before === 0 ? (after > 0 ? 2 : 1) : after / before
  if (Math.abs(factor - 1.2) < 0.03) return undefined
  return factor > 1.2
}

/** How many standard deviations the ranks of `now` are above those of `then`, ties counted half. */
function rankScore(then: RawSpan[], now: RawSpan[], figureOf: (span: RawSpan) => number): number {
  const all = [
    ...then.map((span) => ({ value: figureOf(span), isNow: 0 })),
    ...now.map((span) => ({ value: figureOf(span), isNow: 1 })),
  ]
  all.sort((a, b) => a.value - b.value)
  let rankSum = 0
  let tied = 0
  for (let from = 0; from < all.length; ) {
    let to = from
    let count = 0
    while (to < all.length && all[to]?.value === all[from]?.value) count += all[to++]?.isNow ?? 0
    rankSum += count * ((from + to + 1) / 2)
    tied += (to - from) ** 3 - (to - from)
    from = to
  }
  const [n, m] = [then.length, now.length]
  const total = n + m
  const variance = ((n * m) / 12) * (total + 1 - tied / (total * (total - 1)))
  return variance <= 0 ? 0 : (rankSum - (m * (total + 1)) / 2) / Math.sqrt(variance)
}
