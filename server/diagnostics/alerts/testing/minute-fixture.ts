import { type AlertRuleSettings, RULE_DEFAULTS } from '../../../domain/alert-rule.ts'
import { apdexOf } from '../../../domain/apdex.ts'
import type { RequestGroup } from '../../../storage/diagnostics-reader.ts'
import type { AlertState } from '../judge-rule.ts'
import type { ServiceLook } from '../look.ts'
import { NO_SERIES, type ServiceSeries } from '../service-series.ts'

/** The minute that tests count from; a test's "now" is usually 20 seconds into it. */
const MINUTE_0 = 29_000_000
const MS_PER_MINUTE = 60_000

/** So many minutes and seconds after the beginning of minute 0. */
export function timeMs(minute: number, seconds = 0): number {
  return (MINUTE_0 + minute) * MS_PER_MINUTE + seconds * 1000
}

export function lookAt(minute: number, seconds = 20, hearingSinceMs = 0): ServiceLook {
  return { nowMs: timeMs(minute, seconds), hearingSinceMs, live: true }
}

export function ruleOf(rule: Partial<AlertRuleSettings> & Pick<AlertRuleSettings, 'metric'>): AlertRuleSettings {
  const threshold = rule.threshold ?? 5
  return {
    ...RULE_DEFAULTS,
    channels: [],
    name: 'A rule',
    comparator: '>',
    threshold,
    recoveryThreshold: threshold,
    ...rule,
  }
}

export interface MinuteLiteral {
  count?: number
  errors?: number
  latencyMs?: number
}

/** Requests of one service in one minute; satisfied below 500 ms and tolerating below 2 s, as by default. */
export function requestGroup(minute: number, { count = 30, errors = 0, latencyMs = 50 }: MinuteLiteral): RequestGroup {
  const served = count - errors
  return {
    serviceName: 'shop',
    operationName: '',
    kind: 'SERVER',
    minuteNs: BigInt(timeMs(minute)) * 1_000_000n,
    requestCount: count,
    errorCount: errors,
    durationNsSum: BigInt(count * latencyMs * 1e6),
    satisfiedCount: latencyMs <= 500 ? served : 0,
    toleratingCount: latencyMs > 500 && latencyMs <= 2000 ? served : 0,
    latencies: { exactNs: Array.from({ length: count }, () => latencyMs * 1e6), buckets: [], counts: [] },
  }
}

/** Each minute from the first to the last, both included. */
export function requestsIn(first: number, last: number, literal: MinuteLiteral = {}): [number, RequestGroup][] {
  return Array.from({ length: last - first + 1 }, (_, i) => [MINUTE_0 + first + i, requestGroup(first + i, literal)])
}

export function seriesOf(...requests: [number, RequestGroup][][]): ServiceSeries {
  return { ...NO_SERIES, requests: new Map(requests.flat()) }
}

export function logSeries(first: number, last: number, errorCount: number): ServiceSeries {
  const minutes = Array.from({ length: last - first + 1 }, (_, i) => [MINUTE_0 + first + i, errorCount] as const)
  return { ...NO_SERIES, logErrors: new Map(minutes) }
}

export function firing(state: Partial<AlertState> = {}): AlertState {
  const judgedAtMs = state.judgedAtMs ?? timeMs(0, 5)
  return { firing: true, sinceMs: timeMs(-10), value: 50, recoveringSinceMs: null, ...state, judgedAtMs }
}

/** The Apdex that a group of the fixture has. */
export function apdexIn({ satisfiedCount, toleratingCount, requestCount }: RequestGroup): number {
  return apdexOf(satisfiedCount, toleratingCount, requestCount)
}
