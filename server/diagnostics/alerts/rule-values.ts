import { type AlertRuleSettings, isRuleMetric, moreIsWorse, type RuleMetric } from '../../domain/alert-rule.ts'
import { apdexOf } from '../../domain/apdex.ts'
import { mergedLatencies, percentileMs } from '../../domain/latencies.ts'
import type { RequestGroup } from '../../storage/diagnostics-reader.ts'
import { type Minutes, minutesOf, type ServiceLook } from './look.ts'
import type { MetricSeries } from './metric-series.ts'
import type { ServiceSeries } from './service-series.ts'

const MS_PER_MINUTE = 60_000
/** Within this, what happened in a minute has come in: until then, that there was little of it says nothing. */
const SETTLING_MS = 30_000
/** How long before its last request a service must have had enough of them for its silence to mean something. */
export const SILENCE_BASE_MINUTES = 60

/** Undefined where there is nothing to judge by, null where there is too little. */
export type RuleValue = number | null | undefined

/** What a rule's metric was for one service, now and at the ends of the minutes before. */
export interface RuleValues {
  /** 0 is now, 1 the end of the last whole minute, and so on. */
  timeMsAt(back: number): number
  valueAt(back: number): RuleValue
}

export interface KnownSilence {
  /** Of a service that has been silent for longer than its series reaches. */
  silentSinceMs?: number
}

export function ruleValues(
  rule: AlertRuleSettings,
  series: ServiceSeries,
  look: ServiceLook,
  { silentSinceMs }: KnownSilence = {},
): RuleValues {
  const minutes = minutesOf(awaitsMinutes(rule) ? look.nowMs - SETTLING_MS : look.nowMs, look.nowMs)
  const valueAt = isRuleMetric(rule.metric)
    ? VALUES[rule.metric]({ rule, series, minutes, look, silentSinceMs })
    : storedMetric(rule, series.metrics.get(rule.metric) ?? [], minutes)
  return { timeMsAt: minutes.timeMsAt, valueAt }
}

/** Whether little of something is bad, which a minute that is not over, or not all here, cannot tell. */
function awaitsMinutes({ metric, comparator }: AlertRuleSettings): boolean {
  return (metric === 'throughput' || metric === 'log_errors') && !moreIsWorse(comparator)
}

interface Asked {
  rule: AlertRuleSettings
  series: ServiceSeries
  minutes: Minutes
  look: ServiceLook
  silentSinceMs: number | undefined
}

type ValueAt = (back: number) => RuleValue

const VALUES: Record<RuleMetric, (asked: Asked) => ValueAt> = {
  error_rate: ofRequests((groups, count) => (sumOf(groups, 'errorCount') / count) * 100),
  p50_latency: ofRequests((groups) => percentileOf(groups, 50)),
  p95_latency: ofRequests((groups) => percentileOf(groups, 95)),
  p99_latency: ofRequests((groups) => percentileOf(groups, 99)),
  apdex: ofRequests((groups, count) =>
    apdexOf(sumOf(groups, 'satisfiedCount'), sumOf(groups, 'toleratingCount'), count),
  ),
  throughput: (asked) => throughput(asked),
  log_errors: ({ rule, series, minutes }) => amounts(rule, minutes, (minute) => series.logErrors.get(minute) ?? 0),
  silence: (asked) => silence(asked),
}

/** Judged over the rule's window of whole minutes, and now over the minute under way as well. */
function ofRequests(value: (groups: RequestGroup[], count: number) => number): (asked: Asked) => ValueAt {
  return ({ rule: { windowMinutes, minRequests }, series: { requests }, minutes }) =>
    (back) => {
      const groups = minutes.windowAt(back, windowMinutes).flatMap((minute) => requests.get(minute) ?? [])
      const count = sumOf(groups, 'requestCount')
      if (count === 0) return undefined
      return count < minRequests ? null : value(groups, count)
    }
}

function sumOf(
  groups: RequestGroup[],
  field: 'requestCount' | 'errorCount' | 'satisfiedCount' | 'toleratingCount',
): number {
  return groups.reduce((sum, group) => sum + group[field], 0)
}

function percentileOf(groups: RequestGroup[], percent: number): number {
  return percentileMs(mergedLatencies(groups.map(({ latencies }) => latencies)), percent)
}

/**
 * How much there was in the rule's window. The minute under way counts as soon as it has enough where much is bad, and
 * not before it is over where little is.
 */
function amounts(rule: AlertRuleSettings, minutes: Minutes, of: (minute: number) => number): (back: number) => number {
  const total = (last: number) =>
    Array.from({ length: rule.windowMinutes }, (_, i) => of(last - i)).reduce((sum, amount) => sum + amount, 0)
  return (back) => {
    const whole = total(minutes.open - Math.max(1, back))
    return back === 0 && moreIsWorse(rule.comparator) ? Math.max(whole, total(minutes.open)) : whole
  }
}

function throughput({ rule, series: { requests }, minutes, look }: Asked): ValueAt {
  const count = amounts(rule, minutes, (minute) => requests.get(minute)?.requestCount ?? 0)
  const firstMinute = Math.min(...requests.keys())
  return (back) => {
    const start = minutes.open - Math.max(1, back) - rule.windowMinutes + 1
    const isKnown = look.live && firstMinute <= start && look.hearingSinceMs <= start * MS_PER_MINUTE
    if (requests.size === 0) return undefined
    if (!moreIsWorse(rule.comparator) && !isKnown) return null
    return count(back) / (rule.windowMinutes * 60)
  }
}

/** Minutes without any request that are certain: counted from the end of the minute that had the last one. */
function silence({ rule, series: { requests }, minutes, look, silentSinceMs }: Asked): ValueAt {
  const heard = [...requests.keys()].sort((a, b) => b - a)
  const countBefore = (last: number) =>
    heard
      .filter((minute) => minute <= last && minute > last - SILENCE_BASE_MINUTES)
      .reduce((sum, minute) => sum + (requests.get(minute)?.requestCount ?? 0), 0)
  // What is known to be silent stays so over a time in which nobody listened.
  const hearingSinceMs = silentSinceMs === undefined ? look.hearingSinceMs : Number.NEGATIVE_INFINITY
  const silentMinutes = (fromMs: number, back: number) =>
    Math.max(0, (minutes.timeMsAt(back) - Math.max(fromMs, hearingSinceMs)) / MS_PER_MINUTE)
  return (back) => {
    const last = heard.find((minute) => minute <= minutes.open - back)
    if (last === undefined) return silentSinceMs === undefined ? undefined : silentMinutes(silentSinceMs, back)
    const value = silentMinutes((last + 1) * MS_PER_MINUTE, back)
    if (value < rule.recoveryThreshold || silentSinceMs !== undefined) return value
    return look.live && countBefore(last) >= rule.minRequests ? value : null
  }
}

function storedMetric(rule: AlertRuleSettings, series: MetricSeries[], minutes: Minutes): ValueAt {
  const worst = moreIsWorse(rule.comparator) ? Math.max : Math.min
  return (back) => {
    const window = minutes.windowAt(back, rule.windowMinutes)
    const sums = series.flatMap((each) => {
      const cells = window.flatMap((minute) => each.minutes.get(minute) ?? [])
      const sum = cells.reduce((total, cell) => total + cell.sum, 0)
      const weight = cells.reduce((total, cell) => total + cell.weight, 0)
      return weight > 0 ? [{ reading: each.reading, sum, weight }] : []
    })
    if (sums.length === 0) return undefined
    const ratios = sums.map(({ sum, weight }) => sum / weight)
    switch (sums[0]?.reading) {
      case 'worst average':
        return worst(...ratios)
      case 'total rate':
        return ratios.reduce((total, rate) => total + rate, 0)
      default:
        return sums.reduce((total, { sum }) => total + sum, 0) / sums.reduce((total, { weight }) => total + weight, 0)
    }
  }
}
