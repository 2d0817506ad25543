import { describe, expect, it } from 'vitest'
import type { AlertRuleSettings } from '../../domain/alert-rule.ts'
import { ruleValues } from './rule-values.ts'
import { NO_SERIES, type ServiceSeries } from './service-series.ts'
import {
  apdexIn,
  logSeries,
  lookAt,
  requestGroup,
  requestsIn,
  ruleOf,
  seriesOf,
  timeMs,
} from './testing/minute-fixture.ts'

function value(rule: AlertRuleSettings, series: ServiceSeries, back = 0, look = lookAt(0)) {
  return ruleValues(rule, series, look).valueAt(back)
}

describe('a window', () => {
  const rule = ruleOf({ metric: 'error_rate', windowMinutes: 2, minRequests: 1 })

  it('is whole minutes, and now the one under way as well', () => {
    const minutes = [-4, -3, -2, -1, 0].map((minute, i) =>
      requestsIn(minute, minute, { count: 100, errors: 10 ** i % 99 }),
    )
    const series = seriesOf(...minutes)
    const errors = [1, 10, 1, 10, 1]
    expect(value(rule, series, 0)).toBeCloseTo(((errors[2] ?? 0) + 10 + 1) / 3)
    expect(value(rule, series, 1)).toBeCloseTo(11 / 2)
    expect(value(rule, seriesOf(requestsIn(-2, -1)), 3)).toBeUndefined()
  })

  it('ends where it says', () => {
    const { timeMsAt } = ruleValues(rule, NO_SERIES, lookAt(0, 20))
    expect([0, 1, 2].map(timeMsAt)).toEqual([timeMs(0, 20), timeMs(0), timeMs(-1)])
  })
})

describe('requests', () => {
  it('give percentiles by nearest rank over the whole window', () => {
    const series = seriesOf(
      requestsIn(-5, -5, { count: 6, latencyMs: 4000 }),
      requestsIn(-4, 0, { count: 20, latencyMs: 100 }),
    )
    const at = (metric: string) => value(ruleOf({ metric }), series)
    expect([at('p50_latency'), at('p95_latency'), at('p99_latency')]).toEqual([100, 4000, 4000])
    const longer = seriesOf(
      requestsIn(-5, -5, { count: 5, latencyMs: 4000 }),
      requestsIn(-4, 0, { count: 20, latencyMs: 100 }),
    )
    expect(value(ruleOf({ metric: 'p95_latency' }), longer)).toBe(100)
  })

  it('give an Apdex', () => {
    const literal = { count: 40, errors: 10, latencyMs: 700 }
    expect(value(ruleOf({ metric: 'apdex' }), seriesOf(requestsIn(-5, 0, literal)))).toBe(
      apdexIn(requestGroup(0, literal)),
    )
    expect(apdexIn(requestGroup(0, literal))).toBe(0.375)
  })

  it('are too few below the minimum, and nothing where there are none', () => {
    const rule = ruleOf({ metric: 'error_rate', minRequests: 20 })
    expect(value(rule, seriesOf(requestsIn(-1, -1, { count: 19 })))).toBeNull()
    expect(value(rule, seriesOf(requestsIn(-1, -1, { count: 20 })))).toBe(0)
    expect(value(rule, seriesOf(requestsIn(-9, -9)))).toBeUndefined()
  })
})

describe('throughput', () => {
  const more = ruleOf({ metric: 'throughput', comparator: '>' })
  const less = ruleOf({ metric: 'throughput', comparator: '<' })

  it('is requests a second over the window', () => {
    const series = seriesOf(requestsIn(-30, -1, { count: 60 }))
    expect([value(more, series), value(less, series, 0, lookAt(0, 40))]).toEqual([1, 1])
  })

  it('takes the minute under way into account where much is bad, and waits for it where little is', () => {
    const surge = seriesOf(requestsIn(-30, -1, { count: 60 }), requestsIn(0, 0, { count: 360 }))
    expect(value(more, surge)).toBe(2)
    expect(value(less, surge, 0, lookAt(0, 40))).toBe(1)
    const started = seriesOf(requestsIn(-30, -1, { count: 60 }), requestsIn(0, 0, { count: 1 }))
    expect(value(more, started)).toBe(1)
  })

  it('gives a minute time to come in where little is bad', () => {
    const series = seriesOf(requestsIn(-30, -2, { count: 60 }))
    expect(value(less, series, 0, lookAt(0, 29))).toBe(1)
    expect(value(less, series, 0, lookAt(0, 30))).toBe(0.8)
  })

  it('is 0 where requests have stopped, but cannot be told where the service has only begun or nobody listened', () => {
    const stopped = seriesOf(requestsIn(-40, -10))
    expect(value(less, stopped)).toBe(0)
    expect(value(less, seriesOf(requestsIn(-3, -1)))).toBeNull()
    expect(value(less, stopped, 0, lookAt(0, 20, timeMs(-1)))).toBeNull()
    expect(value(less, NO_SERIES)).toBeUndefined()
  })
})

describe('log errors', () => {
  const rule = ruleOf({ metric: 'log_errors', windowMinutes: 5 })

  it('are counted over the window, of which the minute under way may already be one', () => {
    expect(value(rule, logSeries(-20, -1, 3))).toBe(15)
    expect(value(rule, logSeries(-20, 0, 3))).toBe(15)
    expect(value(rule, logSeries(0, 0, 40))).toBe(40)
    expect(value(rule, logSeries(-20, -1, 3), 2)).toBe(15)
  })

  it('are none where nothing was logged', () => {
    expect(value(rule, NO_SERIES)).toBe(0)
  })
})
