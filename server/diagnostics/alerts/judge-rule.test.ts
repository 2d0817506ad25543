import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AlertRuleSettings } from '../../domain/alert-rule.ts'
import { type AlertState, type Judgement, judgeRule } from './judge-rule.ts'
import type { ServiceLook } from './look.ts'
import { NO_SERIES, type ServiceSeries } from './service-series.ts'
import { firing, lookAt, requestsIn, ruleOf, seriesOf, timeMs } from './testing/minute-fixture.ts'

const ERRORS = ruleOf({ metric: 'error_rate', threshold: 5, durationMinutes: 2, holdMinutes: 2 })
const BAD = { errors: 15 }
const QUIET = { status: 'quiet' }

/** What is remembered of a judgement, as the next look is given it. */
function stateAfter(judgement: Judgement, nowMs: number): AlertState | undefined {
  if (judgement.status === 'quiet' || judgement.status === 'resolved') return undefined
  const pending = { judgedAtMs: nowMs, recoveringSinceMs: null }
  return { ...pending, ...judgement, firing: judgement.status === 'firing' }
}

/** Looks every 15 seconds at what is there by then, and tells each change of status with its time after minute 0. */
function watch(rule: AlertRuleSettings, seriesAt: (nowMs: number) => ServiceSeries, fromMs: number, toMs: number) {
  const changes: string[] = []
  let state: AlertState | undefined
  let status = 'quiet'
  for (let nowMs = fromMs; nowMs <= toMs; nowMs += 15_000) {
    const judgement = judgeRule(rule, seriesAt(nowMs), state, { nowMs, hearingSinceMs: 0, live: true })
    if (judgement.status !== status) changes.push(`${judgement.status} ${(nowMs - timeMs(0)) / 1000}`)
    status = judgement.status === 'resolved' ? 'quiet' : judgement.status
    state = stateAfter(judgement, nowMs)
  }
  return changes
}

/** What of the series had begun by then; a minute under way is there in part. */
function upTo(nowMs: number, whole: ServiceSeries): ServiceSeries {
  const begun = [...whole.requests].filter(([minute]) => minute * 60_000 < nowMs)
  const requests = begun.map(([minute, group]) => {
    const share = Math.min(1, (nowMs - minute * 60_000) / 60_000)
    const count = Math.round(group.requestCount * share)
    const errors = Math.round(group.errorCount * share)
    return [minute, { ...group, requestCount: count, errorCount: errors }] as const
  })
  return { ...whole, requests: new Map(requests.filter(([, { requestCount }]) => requestCount > 0)) }
}

describe('a rule that waits', () => {
  it('is quiet while all is well', () => {
    expect(judgeRule(ERRORS, seriesOf(requestsIn(-10, 0)), undefined, lookAt(0))).toEqual(QUIET)
  })

  it('fires at the first look where the condition has held in the data for long enough', () => {
    const series = seriesOf(requestsIn(-10, 0, BAD))
    expect(judgeRule(ERRORS, series, undefined, lookAt(0))).toEqual({
      status: 'firing',
      sinceMs: timeMs(-2),
      value: 50,
      judgedAtMs: timeMs(0, 20),
      recoveringSinceMs: null,
    })
  })

  it('is pending from the first end of a minute at which it held', () => {
    const series = seriesOf(requestsIn(-10, -2), requestsIn(-1, 0, BAD))
    expect(judgeRule(ERRORS, series, undefined, lookAt(0))).toEqual({
      status: 'pending',
      sinceMs: timeMs(0),
      value: (30 / 180) * 100,
    })
  })

  it('counts from what an earlier look has seen within the minute', () => {
    const series = seriesOf(requestsIn(-10, -3), requestsIn(-2, 0, BAD))
    const state = {
      firing: false,
      sinceMs: timeMs(-2, 18),
      value: 6,
      judgedAtMs: timeMs(0, 5),
      recoveringSinceMs: null,
    }
    expect(judgeRule(ERRORS, series, state, lookAt(0, 20))).toMatchObject({ status: 'firing', sinceMs: timeMs(-2, 18) })
    expect(judgeRule(ERRORS, series, undefined, lookAt(0, 20))).toMatchObject({
      status: 'pending',
      sinceMs: timeMs(-1),
    })
  })

  it('begins anew after a minute that was well, whatever an earlier look has seen', () => {
    const rule = { ...ERRORS, windowMinutes: 1 }
    const series = seriesOf(requestsIn(-10, -3, BAD), requestsIn(-2, -2), requestsIn(-1, 0, BAD))
    const state = { firing: false, sinceMs: timeMs(-9), value: 50, judgedAtMs: timeMs(0, 5), recoveringSinceMs: null }
    expect(judgeRule(rule, series, state, lookAt(0))).toMatchObject({ status: 'pending', sinceMs: timeMs(0) })
  })

  it('fires at once where no duration is asked for', () => {
    const series = seriesOf(requestsIn(-10, -1), requestsIn(0, 0, { errors: 30 }))
    expect(judgeRule({ ...ERRORS, durationMinutes: 0 }, series, undefined, lookAt(0))).toMatchObject({
      status: 'firing',
      sinceMs: timeMs(0, 20),
    })
  })

  it('forgets what is pending once the condition no longer holds', () => {
    const state = { firing: false, sinceMs: timeMs(-1), value: 9, judgedAtMs: timeMs(0, 5), recoveringSinceMs: null }
    expect(judgeRule(ERRORS, seriesOf(requestsIn(-10, 0)), state, lookAt(0))).toEqual(QUIET)
  })

  it('says nothing of a past that is over, however bad it was', () => {
    const imported = seriesOf(requestsIn(-60, -7, { errors: 30 }))
    expect(judgeRule(ERRORS, imported, undefined, lookAt(0))).toEqual(QUIET)
    const rule = { ...ERRORS, durationMinutes: 0, windowMinutes: 1 }
    expect(judgeRule(rule, imported, undefined, lookAt(0))).toEqual(QUIET)
  })

  it('judges the threshold before rounding, and with its own comparator', () => {
    const series = seriesOf(requestsIn(-10, 0, { count: 10_000, errors: 500 }))
    const look = lookAt(0)
    const at = (comparator: AlertRuleSettings['comparator'], threshold: number) =>
      judgeRule({ ...ERRORS, comparator, threshold, recoveryThreshold: threshold }, series, undefined, look).status
    expect([at('>', 5), at('>=', 5), at('<', 5), at('<=', 5)]).toEqual(['quiet', 'firing', 'quiet', 'firing'])
    expect([at('>', 4.9999), at('<', 5.0001)]).toEqual(['firing', 'firing'])
  })
})

describe('what comes late', () => {
  it('counts as if it had been there: the condition held in the data', () => {
    const before = seriesOf(requestsIn(-10, 0))
    const after = seriesOf(requestsIn(-10, 0, BAD))
    expect(judgeRule(ERRORS, before, undefined, lookAt(0))).toEqual(QUIET)
    expect(judgeRule(ERRORS, after, undefined, lookAt(0, 35))).toMatchObject({ status: 'firing' })
  })

  it('takes back a pending alert whose minutes turn out well', () => {
    const state = {
      firing: false,
      sinceMs: timeMs(-1, 30),
      value: 9,
      judgedAtMs: timeMs(0, 5),
      recoveringSinceMs: null,
    }
    const filled = seriesOf(requestsIn(-10, -1, { count: 1000, errors: 15 }), requestsIn(0, 0, { errors: 30 }))
    expect(judgeRule({ ...ERRORS, threshold: 1.6, recoveryThreshold: 1.6 }, filled, state, lookAt(0))).toMatchObject({
      status: 'pending',
      sinceMs: timeMs(0, 20),
    })
  })
})

describe('a restart', () => {
  const incident = seriesOf(requestsIn(-30, -3), requestsIn(-2, 20, { errors: 15 }))

  it('neither delays nor forgets an alert, wherever it falls', () => {
    const uninterrupted = watch(ERRORS, (nowMs) => upTo(nowMs, incident), timeMs(-4), timeMs(3))
    expect(uninterrupted).toEqual(['pending -75', 'firing 45'])
    const seen = (fromMs: number) => watch(ERRORS, (nowMs) => upTo(nowMs, incident), fromMs, timeMs(3))
    expect(seen(timeMs(-1))).toEqual(['pending -60', 'firing 60'])
    expect(seen(timeMs(2, 10))).toEqual(['firing 130'])
  })
})

describe('an alert that fires', () => {
  const well = seriesOf(requestsIn(-20, 10))

  it('goes on while the condition holds, and shows the present value', () => {
    const series = seriesOf(requestsIn(-10, 0, { errors: 9 }))
    expect(judgeRule(ERRORS, series, firing(), lookAt(0))).toEqual({
      status: 'firing',
      sinceMs: timeMs(-10),
      value: 30,
      judgedAtMs: timeMs(0, 20),
      recoveringSinceMs: null,
    })
  })

  it('is held until it has been well for long enough since it was last seen bad', () => {
    const first = judgeRule(ERRORS, well, firing({ judgedAtMs: timeMs(0, 5) }), lookAt(0, 20))
    expect(first).toMatchObject({ status: 'firing', value: 0, recoveringSinceMs: timeMs(0, 20) })
    const state = firing({ judgedAtMs: timeMs(2, 5), recoveringSinceMs: timeMs(0, 20) })
    expect(judgeRule(ERRORS, well, state, lookAt(2, 5))).toMatchObject({ status: 'firing' })
    expect(judgeRule(ERRORS, well, state, lookAt(2, 20))).toEqual({
      status: 'resolved',
      resolution: 'recovered',
      value: 0,
    })
  })

  it('is resolved at once by a late look, where the data was well for long enough', () => {
    expect(judgeRule(ERRORS, well, firing({ judgedAtMs: timeMs(0, 5) }), lookAt(10))).toMatchObject({
      status: 'resolved',
    })
    expect(judgeRule(ERRORS, well, firing({ judgedAtMs: timeMs(8, 30) }), lookAt(10))).toMatchObject({
      status: 'firing',
      recoveringSinceMs: timeMs(9),
    })
  })

  it('begins its recovery anew where a minute in between turns out bad', () => {
    const rule = { ...ERRORS, windowMinutes: 1 }
    const series = seriesOf(requestsIn(-10, -1), requestsIn(0, 0, BAD), requestsIn(1, 3))
    const state = firing({ judgedAtMs: timeMs(2, 15), recoveringSinceMs: timeMs(-1, 30) })
    expect(judgeRule(rule, series, state, lookAt(2, 30))).toMatchObject({
      status: 'firing',
      recoveringSinceMs: timeMs(2),
    })
  })

  it('has not recovered between the two thresholds, nor does an alert begin there', () => {
    const rule = { ...ERRORS, recoveryThreshold: 2 }
    const between = seriesOf(requestsIn(-10, 0, { count: 100, errors: 3 }))
    expect(judgeRule(rule, between, undefined, lookAt(0))).toEqual(QUIET)
    const state = firing({ recoveringSinceMs: timeMs(-1) })
    expect(judgeRule(rule, between, state, lookAt(0))).toMatchObject({ status: 'firing', recoveringSinceMs: null })
    const below = seriesOf(requestsIn(-10, 0, { count: 100, errors: 2 }))
    expect(judgeRule(rule, below, state, lookAt(1))).toMatchObject({ status: 'resolved' })
  })

  it('recovers above the threshold where little is bad', () => {
    const rule = ruleOf({ metric: 'apdex', comparator: '<', threshold: 0.5, recoveryThreshold: 0.8, holdMinutes: 1 })
    const at = (count: number, errors: number) =>
      judgeRule(rule, seriesOf(requestsIn(-10, 0, { count, errors })), firing({ judgedAtMs: timeMs(-5) }), lookAt(0))
        .status
    expect([at(100, 60), at(100, 30), at(100, 20)]).toEqual(['firing', 'firing', 'resolved'])
  })

  it('does not flap while errors come and go', () => {
    const rule = { ...ERRORS, windowMinutes: 1, durationMinutes: 1, holdMinutes: 3 }
    const bursts = Array.from({ length: 20 }, (_, i) => requestsIn(i, i, i % 2 === 0 ? BAD : {}))
    const calm = requestsIn(20, 30)
    const series = seriesOf(requestsIn(-10, -1), requestsIn(0, 1, BAD), ...bursts.slice(2), calm)
    const changes = watch(rule, (nowMs) => upTo(nowMs, series), timeMs(-1), timeMs(30))
    expect(changes.map((change) => change.split(' ')[0])).toEqual(['pending', 'firing', 'resolved'])
    expect(Number(changes[2]?.split(' ')[1])).toBeGreaterThanOrEqual(22 * 60)
  })
})

describe('whatever the errors', () => {
  const minute = fc.constantFrom({}, BAD, { errors: 2 }, { count: 1 })
  const numbers = fc.record({
    windowMinutes: fc.integer({ min: 1, max: 5 }),
    durationMinutes: fc.integer({ min: 0, max: 3 }),
    holdMinutes: fc.integer({ min: 1, max: 4 }),
    recoveryThreshold: fc.constantFrom(5, 2),
  })

  it('an alert fires after its duration, ends after its hold, and never otherwise', () => {
    const property = fc.property(fc.array(minute, { minLength: 20, maxLength: 20 }), numbers, (literals, chosen) => {
      const rule = { ...ERRORS, ...chosen }
      const series = seriesOf(requestsIn(-10, -1), ...literals.map((literal, i) => requestsIn(i, i, literal)))
      const changes = watch(rule, (nowMs) => upTo(nowMs, series), timeMs(-1), timeMs(25))
      let [previous, previousSeconds] = ['resolved', Number.NEGATIVE_INFINITY]
      for (const change of changes) {
        const [status = '', seconds] = change.split(' ')
        const lasted = Number(seconds) - previousSeconds
        if (status === 'firing' && previous === 'pending')
          expect(lasted).toBeGreaterThanOrEqual((rule.durationMinutes - 1) * 60)
        if (status === 'firing' && previous !== 'pending') expect(rule.durationMinutes).toBe(0)
        if (status === 'resolved') expect([previous, lasted >= rule.holdMinutes * 60]).toEqual(['firing', true])
        if (previous === 'firing') expect(status).toBe('resolved')
        ;[previous, previousSeconds] = [status, Number(seconds)]
      }
    })
    fc.assert(property, { seed: 3, numRuns: 200 })
  })
})

describe('without anything to judge by', () => {
  const nothing = NO_SERIES
  const choose = (noData: AlertRuleSettings['noData']) => ({ ...ERRORS, noData })

  it('nothing begins unless that was chosen', () => {
    expect(judgeRule(choose('keep'), nothing, undefined, lookAt(0))).toEqual(QUIET)
    expect(judgeRule(choose('resolve'), nothing, undefined, lookAt(0))).toEqual(QUIET)
    expect(judgeRule(choose('fire'), nothing, undefined, lookAt(0))).toMatchObject({ status: 'firing', value: 0 })
  })

  it('fires only once there has been nothing for the whole duration', () => {
    const ended = seriesOf(requestsIn(-20, -7))
    expect(judgeRule(choose('fire'), ended, undefined, lookAt(0))).toMatchObject({
      status: 'pending',
      sinceMs: timeMs(-1),
    })
    expect(judgeRule(choose('fire'), ended, undefined, lookAt(1))).toMatchObject({ status: 'firing' })
  })

  it('an alert is kept with its last value, and counts as gone after a day', () => {
    const state = firing({ judgedAtMs: timeMs(-30), recoveringSinceMs: timeMs(-31) })
    const kept = { status: 'firing', sinceMs: timeMs(-10), value: 50, judgedAtMs: timeMs(-30), recoveringSinceMs: null }
    expect(judgeRule(choose('keep'), nothing, state, lookAt(0))).toEqual(kept)
    expect(judgeRule(choose('keep'), nothing, state, lookAt(24 * 60 - 31))).toMatchObject({ status: 'firing' })
    expect(judgeRule(choose('keep'), nothing, state, lookAt(24 * 60 - 30, 0))).toEqual({
      status: 'resolved',
      resolution: 'no data',
      value: 50,
    })
  })

  it('an alert is resolved, after its hold, where that was chosen', () => {
    const state = firing({ judgedAtMs: timeMs(-1, 30) })
    expect(judgeRule(choose('resolve'), nothing, state, lookAt(0))).toMatchObject({
      status: 'firing',
      recoveringSinceMs: timeMs(0),
    })
    expect(judgeRule(choose('resolve'), nothing, state, lookAt(2))).toEqual({
      status: 'resolved',
      resolution: 'no data',
      value: 50,
    })
  })

  it('is not what few requests are, except to resolve', () => {
    const few = seriesOf(requestsIn(-10, 0, { count: 3, errors: 3 }))
    for (const noData of ['keep', 'resolve', 'fire'] as const)
      expect(judgeRule(choose(noData), few, undefined, lookAt(0))).toEqual(QUIET)
    const state = firing({ judgedAtMs: timeMs(-6) })
    expect(judgeRule(choose('keep'), few, state, lookAt(0))).toMatchObject({ status: 'firing', value: 50 })
    expect(judgeRule(choose('fire'), few, state, lookAt(0))).toMatchObject({ status: 'firing', value: 50 })
    expect(judgeRule(choose('resolve'), few, state, lookAt(0))).toMatchObject({ status: 'resolved' })
  })
})

describe('what did not come', () => {
  it('says nothing of a time in which nobody listened', () => {
    const deaf = lookAt(0, 20, timeMs(-4))
    for (const noData of ['resolve', 'fire'] as const) {
      const rule = { ...ERRORS, noData }
      expect(judgeRule(rule, NO_SERIES, undefined, deaf)).toEqual(QUIET)
      expect(judgeRule(rule, NO_SERIES, firing({ judgedAtMs: timeMs(-30) }), deaf)).toMatchObject({
        status: 'firing',
        recoveringSinceMs: null,
      })
    }
    const listening = lookAt(0, 20, timeMs(-6))
    expect(judgeRule({ ...ERRORS, noData: 'fire' }, NO_SERIES, undefined, listening)).toMatchObject({
      status: 'pending',
      sinceMs: timeMs(-1),
    })
  })

  it('says nothing of a service that was never heard live', () => {
    const look = { ...lookAt(0), live: false }
    const past = seriesOf(requestsIn(-60, -10))
    const silence = ruleOf({ metric: 'silence', comparator: '>=', threshold: 5, durationMinutes: 0 })
    const throughput = ruleOf({ metric: 'throughput', comparator: '<', threshold: 1 })
    for (const rule of [silence, throughput, { ...ERRORS, noData: 'fire' as const }]) {
      expect(judgeRule(rule, past, undefined, look)).toEqual(QUIET)
      expect(judgeRule(rule, past, undefined, lookAt(0))).toMatchObject({ status: 'firing' })
    }
  })
})

describe('silence', () => {
  const SILENT = ruleOf({ metric: 'silence', comparator: '>=', threshold: 5, durationMinutes: 0 })
  const status = (series: ServiceSeries, look: ServiceLook, state?: AlertState) =>
    judgeRule(SILENT, series, state, look)

  it('begins after five minutes without a request', () => {
    const series = seriesOf(requestsIn(-60, -6))
    expect(status(series, lookAt(-1, 59))).toEqual(QUIET)
    expect(status(series, lookAt(0, 0))).toMatchObject({ status: 'firing', value: 5 })
  })

  it('says nothing of a service that had few requests before, or whose requests are too long ago', () => {
    expect(status(seriesOf(requestsIn(-6, -6, { count: 19 })), lookAt(0))).toEqual(QUIET)
    expect(
      status(seriesOf(requestsIn(-40, -40, { count: 10 }), requestsIn(-6, -6, { count: 10 })), lookAt(0)),
    ).toMatchObject({
      status: 'firing',
    })
    expect(status(seriesOf(requestsIn(-70, -70, { count: 30 }), requestsIn(-6, -6, { count: 10 })), lookAt(0))).toEqual(
      QUIET,
    )
    expect(status(NO_SERIES, lookAt(0))).toEqual(QUIET)
  })

  it('ends with the first request, after the hold, however few they are', () => {
    const back = seriesOf(requestsIn(-6, -6), requestsIn(55, 55, { count: 1 }))
    const state = firing({ value: 60, judgedAtMs: timeMs(55, 5) })
    const recovering = status(back, lookAt(55, 20), state)
    expect(recovering).toMatchObject({ status: 'firing', value: 0, recoveringSinceMs: timeMs(55, 20) })
    const held = firing({ value: 0, judgedAtMs: timeMs(57), recoveringSinceMs: timeMs(55, 20) })
    expect(status(back, lookAt(57, 30), held)).toMatchObject({ status: 'resolved', resolution: 'recovered' })
  })

  it('lasts longer than the series reaches, and ends after a day', () => {
    const state = firing({ value: 65, judgedAtMs: timeMs(0, 20) })
    expect(status(NO_SERIES, lookAt(10, 20), state)).toMatchObject({
      status: 'firing',
      value: 75,
      judgedAtMs: timeMs(10, 20),
    })
    expect(status(NO_SERIES, lookAt(24 * 60 - 65, 20), state)).toMatchObject({
      status: 'resolved',
      resolution: 'no data',
    })
  })

  it('is not concluded from a time in which nobody listened', () => {
    const series = seriesOf(requestsIn(-60, -10))
    expect(status(series, lookAt(0, 20, timeMs(0, 10)))).toEqual(QUIET)
    expect(status(series, lookAt(5, 9, timeMs(0, 10)))).toEqual(QUIET)
    expect(status(series, lookAt(5, 10, timeMs(0, 10)))).toMatchObject({ status: 'firing', value: 5 })
    const known = firing({ value: 5, judgedAtMs: timeMs(-4) })
    expect(status(series, lookAt(0, 20, timeMs(0, 10)), known)).toMatchObject({
      status: 'firing',
      recoveringSinceMs: null,
    })
  })
})
