import { describe, expect, it } from 'vitest'
import type { RequestGroup } from '../storage/diagnostics-reader.ts'
import { groupOf, rising } from './testing/request-group.ts'
import { trends } from './trends.ts'
import { windowsAt } from './windows.ts'

const NS_PER_SECOND = 1_000_000_000n
const AT_NS = 1_700_000_000n * NS_PER_SECOND
const { current, baseline } = windowsAt(AT_NS)

const minutesAgo = (minutes: number) => AT_NS - BigInt(Math.round(minutes * 60)) * NS_PER_SECOND

interface Facts {
  now?: RequestGroup[]
  before?: RequestGroup[]
  /** In minutes before the moment. */
  first?: number | undefined
}

const trendsOf = ({ now = [], before = [], first = 10_000 }: Facts) =>
  trends({ window: current, requests: now }, { window: baseline, requests: before }, minutesAgo(first))

/** So many requests of the same duration, of which so many failed. */
const same = (count: number, ms = 10, errorCount = 0) => [groupOf(new Array<number>(count).fill(ms), { errorCount })]

describe('trends', () => {
  it('has nothing but zeroes, stable, without data', () => {
    const none = { p50: 0, p95: 0, p99: 0 }
    expect(trends({ window: current, requests: [] }, { window: baseline, requests: [] }, undefined)).toEqual({
      latency: { trend: 'stable', changePercent: 0, current: none, baseline: none },
      errorRate: { trend: 'stable', changePercent: 0, current: 0, baseline: 0 },
      throughput: { trend: 'stable', changePercent: 0, currentRps: 0, baselineRps: 0 },
    })
  })

  it('shows every figure of both windows', () => {
    const answer = trendsOf({
      now: [groupOf(rising(200), { errorCount: 30 })],
      before: [groupOf(rising(400, 0.1), { errorCount: 20 })],
    })
    expect(answer).toEqual({
      latency: {
        trend: 'increasing',
        changePercent: 400,
        current: { p50: 100, p95: 190, p99: 198 },
        baseline: { p50: 20, p95: 38, p99: 39.6 },
      },
      errorRate: { trend: 'increasing', changePercent: 200, current: 15, baseline: 5 },
      throughput: { trend: 'increasing', changePercent: 100, currentRps: 0.2222, baselineRps: 0.1111 },
    })
  })

  it('follows the 95th percentile, whatever the others do', () => {
    const now = [groupOf([...new Array<number>(90).fill(1), ...new Array<number>(10).fill(20)])]
    const before = [groupOf([...new Array<number>(90).fill(10), ...new Array<number>(10).fill(20)])]
    expect(trendsOf({ now, before }).latency).toMatchObject({ trend: 'stable', changePercent: 0 })
  })

  it.each([
    [105, 'stable', 5],
    [105.01, 'increasing', 5.01],
    [95, 'stable', -5],
    [94.99, 'decreasing', -5.01],
  ])('calls latencies that went from 100 to %d ms %s', (ms, trend, changePercent) => {
    expect(trendsOf({ now: same(100, ms), before: same(100, 100) }).latency).toMatchObject({ trend, changePercent })
  })

  it('calls an error rate stable within 0.1 points', () => {
    const changeTo = (errorCount: number) =>
      trendsOf({ now: same(10_000, 10, errorCount), before: same(10_000, 10, 0) }).errorRate
    expect(changeTo(10)).toMatchObject({ trend: 'stable', changePercent: 100 })
    expect(changeTo(11)).toMatchObject({ trend: 'increasing', changePercent: 100 })
  })

  it('calls an error rate stable within 5 percent', () => {
    const changeTo = (errorCount: number) =>
      trendsOf({ now: same(10_000, 10, errorCount), before: same(10_000, 10, 4000) }).errorRate.trend
    expect([changeTo(4200), changeTo(4201), changeTo(3800), changeTo(3799)]).toEqual([
      'stable',
      'increasing',
      'stable',
      'decreasing',
    ])
  })

  it('judges before it rounds', () => {
    const { latency } = trendsOf({ now: same(100, 105.004), before: same(100, 100) })
    expect(latency).toMatchObject({ trend: 'increasing', changePercent: 5 })
  })

  it('compares throughput per second, although the windows are not equally long', () => {
    expect(trendsOf({ now: same(100), before: same(400) }).throughput).toEqual({
      trend: 'stable',
      changePercent: 0,
      currentRps: 0.1111,
      baselineRps: 0.1111,
    })
    expect(trendsOf({ now: same(94), before: same(400) }).throughput).toMatchObject({
      trend: 'decreasing',
      changePercent: -6,
    })
  })

  it('says stable, by 0, with under 30 requests of baseline', () => {
    const change = (count: number) => trendsOf({ now: same(100, 50, 50), before: same(count) })
    expect(change(29)).toMatchObject({
      latency: { trend: 'stable', changePercent: 0, current: { p50: 50 }, baseline: { p50: 10 } },
      errorRate: { trend: 'stable', changePercent: 0, current: 50 },
      throughput: { trend: 'stable', changePercent: 0 },
    })
    expect(change(30).latency).toMatchObject({ trend: 'increasing', changePercent: 400 })
  })

  it('says stable with under 30 requests now, and still by how much', () => {
    const change = (count: number) => trendsOf({ now: same(count, 50), before: same(100) }).latency
    expect(change(29)).toMatchObject({ trend: 'stable', changePercent: 400 })
    expect(change(30)).toMatchObject({ trend: 'increasing', changePercent: 400 })
  })

  it('says stable, by 0, with under 5 minutes of baseline', () => {
    const change = (first: number) => trendsOf({ now: same(100, 50), before: same(100), first }).latency
    expect(change(19.9)).toMatchObject({ trend: 'stable', changePercent: 0 })
    expect(change(20)).toMatchObject({ trend: 'increasing', changePercent: 400 })
  })

  it('counts rates from the first data of a Grid that is younger than its baseline', () => {
    expect(trendsOf({ now: same(900), before: same(600), first: 25 }).throughput).toEqual({
      trend: 'stable',
      changePercent: 0,
      currentRps: 1,
      baselineRps: 1,
    })
    expect(trendsOf({ now: same(300), first: 5 }).throughput).toMatchObject({ currentRps: 1, baselineRps: 0 })
  })

  it('does not make thousands a second of the first request', () => {
    expect(trendsOf({ now: same(1), first: 0 }).throughput.currentRps).toBe(1)
  })

  it('has no rate over a window that has no length', () => {
    const nothing = { window: { startNs: 0n, endNs: 0n }, requests: [] }
    expect(trends(nothing, nothing, AT_NS).throughput).toMatchObject({ currentRps: 0, baselineRps: 0 })
  })
})
