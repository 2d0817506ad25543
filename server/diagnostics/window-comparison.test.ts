import { describe, expect, it } from 'vitest'
import { windowOfMs } from '../domain/time-window.ts'
import type { RequestGroup } from '../storage/diagnostics-reader.ts'
import { groupOf, rising } from './testing/request-group.ts'
import { compareWindows } from './window-comparison.ts'

const MINUTE_MS = 60_000
/** An hour, and the ten minutes after it. */
const HOUR = windowOfMs(0, 60 * MINUTE_MS)
const TEN_MINUTES = windowOfMs(60 * MINUTE_MS, 70 * MINUTE_MS)

const compare = (before: RequestGroup[], after: RequestGroup[], windows = { before: HOUR, after: TEN_MINUTES }) =>
  compareWindows({ window: windows.before, services: before }, { window: windows.after, services: after })

/** Compared over windows of the same length, so that the counts are the throughput. */
const regressions = (before: RequestGroup[], after: RequestGroup[]) =>
  compare(before, after, { before: HOUR, after: HOUR }).regressions
const found = (before: RequestGroup[], after: RequestGroup[]) =>
  regressions(before, after).map(({ serviceName, metric }) => `${serviceName} ${metric}`)

const repeated = (count: number, ms: number) => new Array<number>(count).fill(ms)

describe('compareWindows', () => {
  it('shows the figures of all services together, and what became of them', () => {
    const before = [groupOf(repeated(50, 10)), groupOf(repeated(50, 30), { serviceName: 'cart', errorCount: 10 })]
    const after = [groupOf(repeated(20, 20)), groupOf(repeated(5, 700), { serviceName: 'cart' })]
    expect(compare(before, after)).toMatchObject({
      baseline: { avgLatencyMs: 20, p95LatencyMs: 30, errorRate: 10, throughputRps: 0.0278, apdex: 0.9 },
      current: { avgLatencyMs: 156, p95LatencyMs: 700, errorRate: 0, throughputRps: 0.0417, apdex: 0.9 },
      deltas: {
        avgLatencyMs: { absolute: 136, percent: 680 },
        p95LatencyMs: { absolute: 670, percent: 2233.33 },
        errorRate: { absolute: -10, percent: -100 },
        throughputRps: { absolute: 0.0139, percent: 50 },
        apdex: { absolute: 0, percent: 0 },
      },
    })
  })

  it('has zeroes and an apdex of 1 without data', () => {
    const nothing = { avgLatencyMs: 0, p95LatencyMs: 0, errorRate: 0, throughputRps: 0, apdex: 1 }
    const same = { absolute: 0, percent: 0 }
    expect(compare([], [])).toEqual({
      baseline: nothing,
      current: nothing,
      deltas: { avgLatencyMs: same, p95LatencyMs: same, errorRate: same, throughputRps: same, apdex: same },
      regressions: [],
    })
  })

  it('says 100 percent of what was 0 before', () => {
    expect(compare([], [groupOf(repeated(30, 10), { errorCount: 3 })]).deltas).toMatchObject({
      avgLatencyMs: { absolute: 10, percent: 100 },
      errorRate: { absolute: 10, percent: 100 },
    })
  })

  it('has no rate over a window that has no length', () => {
    const none = windowOfMs(0, 0)
    expect(compare([], [], { before: none, after: none }).current.throughputRps).toBe(0)
  })
})

describe('regressions', () => {
  it('are none where nothing changed', () => {
    expect(regressions([groupOf(rising(100))], [groupOf(rising(100))])).toEqual([])
  })

  it('name each service and metric that became worse, the largest change first', () => {
    const before = [groupOf(rising(100, 10)), groupOf(rising(100), { serviceName: 'cart' })]
    const after = [groupOf(rising(100, 30)), groupOf(rising(100), { serviceName: 'cart', errorCount: 40 })]
    expect(regressions(before, after)).toEqual([
      { serviceName: 'shop', metric: 'avgLatencyMs', baselineValue: 505, currentValue: 1515, changePercent: 200 },
      { serviceName: 'shop', metric: 'p95LatencyMs', baselineValue: 950, currentValue: 2850, changePercent: 200 },
      { serviceName: 'cart', metric: 'errorRate', baselineValue: 0, currentValue: 40, changePercent: 100 },
      { serviceName: 'shop', metric: 'apdex', baselineValue: 0.75, currentValue: 0.41, changePercent: -45.33 },
      { serviceName: 'cart', metric: 'apdex', baselineValue: 1, currentValue: 0.6, changePercent: -40 },
    ])
  })

  it('do not name what became better', () => {
    expect(found([groupOf(rising(100, 30), { errorCount: 50 })], [groupOf(rising(200, 10))])).toEqual([])
  })

  it('name a throughput that fell', () => {
    expect(regressions([groupOf(rising(600))], [groupOf(rising(300))])).toEqual([
      { serviceName: 'shop', metric: 'throughputRps', baselineValue: 0.1667, currentValue: 0.0833, changePercent: -50 },
    ])
  })

  it('need 30 requests in each window', () => {
    expect(found([groupOf(repeated(29, 10))], [groupOf(repeated(29, 100))])).toEqual([])
    expect(found([groupOf(repeated(30, 10))], [groupOf(repeated(30, 100))])).toEqual([
      'shop avgLatencyMs',
      'shop p95LatencyMs',
    ])
  })

  it('need 20 percent, and a point of an error rate', () => {
    const slower = (ms: number) => found([groupOf(repeated(100, 100))], [groupOf(repeated(100, ms))])
    expect(slower(119.9)).toEqual([])
    expect(slower(120)).toEqual(['shop avgLatencyMs', 'shop p95LatencyMs'])
    const failing = (errorCount: number) =>
      found([groupOf(repeated(9000, 10))], [groupOf(repeated(9000, 10), { errorCount })])
    expect(failing(89)).toEqual([])
    expect(failing(90)).toEqual(['shop errorRate'])
  })

  it('need more evidence where more was compared', () => {
    const others = rising(200).map((n) => groupOf(repeated(40, 10), { serviceName: `other ${n}` }))
    const [before, after] = [groupOf(repeated(40, 10)), groupOf(repeated(40, 10), { errorCount: 10 })]
    expect(found([before], [after])).toContain('shop errorRate')
    expect(found([before, ...others], [after, ...others])).toEqual([])
  })

  it('leave out services that only one of the windows knows', () => {
    const cart = groupOf(repeated(100, 100), { serviceName: 'cart', errorCount: 100 })
    expect(found([groupOf(rising(100))], [groupOf(rising(100)), cart])).toEqual([])
    expect(found([groupOf(rising(100)), cart], [groupOf(rising(100))])).toEqual([])
  })
})
