import { describe, expect, it } from 'vitest'
import { impactWindows, needsLatencies, performanceImpacts, type Side } from './change-impact.ts'

const MINUTE_NS = 60_000_000_000n

const side = (requestCount: number, errorCount = 0, averageMs = 100): Side => ({
  requestCount,
  errorCount,
  durationNsSum: BigInt(Math.round(requestCount * averageMs * 1e6)),
})

/** Around a mean, in milliseconds. */
const latencies = (count: number, meanMs: number) => ({
  exactNs: Array.from({ length: count }, (_, n) => meanMs * 1e6 * (0.5 + n / count)),
  buckets: [],
  counts: [],
})

const impact = (before: Side, after: Side, meansMs?: [number, number]) =>
  performanceImpacts([
    {
      before,
      after,
      ...(meansMs && {
        latencies: {
          before: latencies(before.requestCount, meansMs[0]),
          after: latencies(after.requestCount, meansMs[1]),
        },
      }),
    },
  ])[0]

describe('the impact of a change', () => {
  it('is told as signed percentages', () => {
    expect(impact(side(200, 10, 100), side(200, 5, 245), [100, 245])).toEqual({
      latencyChange: '+145%',
      errorRateChange: '-50%',
      assessment: 'negative',
    })
    expect(impact(side(10, 0, 100), side(10, 0, 78))).toMatchObject({ latencyChange: '-22%', errorRateChange: '0%' })
    expect(impact(side(10, 0, 1000), side(10, 0, 999))).toMatchObject({ latencyChange: '0%' })
  })

  it('is positive where it got significantly faster or fails less', () => {
    expect(impact(side(200, 0, 100), side(200, 0, 60), [100, 60])?.assessment).toBe('positive')
    expect(impact(side(500, 50), side(500, 5))?.assessment).toBe('positive')
  })

  it('is negative where it fails significantly more, though it got faster', () => {
    expect(impact(side(500, 0, 100), side(500, 60, 50), [100, 50])?.assessment).toBe('negative')
  })

  it('is positive where it fails significantly less, though requests that no longer fail at once take longer', () => {
    expect(impact(side(500, 150, 60), side(500, 0, 110), [60, 110])?.assessment).toBe('positive')
  })

  it('is neutral where nothing changed significantly', () => {
    expect(impact(side(29, 0, 100), side(29, 29, 900), [100, 900])?.assessment).toBe('neutral')
    expect(impact(side(1000, 10), side(1000, 18))?.assessment).toBe('neutral')
    expect(impact(side(1000, 0, 100), side(1000, 0, 119), [100, 119])?.assessment).toBe('neutral')
  })

  it('is nothing where there were no requests before or after', () => {
    const nothing = { latencyChange: '0%', errorRateChange: '0%', assessment: 'neutral' }
    expect(impact(side(0), side(100, 50))).toEqual(nothing)
    expect(impact(side(100), side(0))).toEqual(nothing)
  })

  it('is 100 percent from no errors to some', () => {
    expect(impact(side(100), side(100, 3))).toMatchObject({ errorRateChange: '+100%', assessment: 'neutral' })
  })

  it('is judged the more strictly the more changes are judged', () => {
    const change = { before: side(300, 3), after: side(300, 18) }
    const nothing = { before: side(300, 3), after: side(300, 3) }
    expect(performanceImpacts([change])[0]?.assessment).toBe('negative')
    const among = performanceImpacts([change, ...Array.from({ length: 50 }, () => nothing)])
    expect(among[0]?.assessment).toBe('neutral')
  })

  it('takes latencies one by one only where the average changed enough', () => {
    expect(needsLatencies({ before: side(30, 0, 100), after: side(30, 0, 120) })).toBe(true)
    expect(needsLatencies({ before: side(30, 0, 100), after: side(30, 0, 119) })).toBe(false)
    expect(needsLatencies({ before: side(29, 0, 100), after: side(30, 0, 200) })).toBe(false)
  })
})

describe('the time that is compared', () => {
  const at = (minute: number, serviceName = 'cart') => ({ serviceName, atNs: BigInt(minute) * MINUTE_NS })
  const minutes = (...args: Parameters<typeof impactWindows>) => {
    const { before, after } = impactWindows(...args)
    return [before.startNs, before.endNs, after.startNs, after.endNs].map((ns) => Number(ns / MINUTE_NS))
  }

  it('is 30 minutes on each side', () => {
    expect(minutes(at(100), [at(100)], 1000n * MINUTE_NS)).toEqual([70, 100, 100, 130])
  })

  it('ends at the moment that is asked about', () => {
    expect(minutes(at(100), [], 110n * MINUTE_NS)).toEqual([70, 100, 100, 110])
  })

  it('does not reach over another deployment of the service', () => {
    const turns = [at(60), at(92), at(85), at(100), at(125), at(108), at(104, 'shop')]
    expect(minutes(at(100), turns, 1000n * MINUTE_NS)).toEqual([92, 100, 100, 108])
  })
})
