import { type AlertRuleSettings, compares, type NoDataChoice } from '../../domain/alert-rule.ts'
import type { ServiceLook } from './look.ts'
import { type RuleValue, type RuleValues, ruleValues } from './rule-values.ts'
import type { ServiceSeries } from './service-series.ts'

const MS_PER_MINUTE = 60_000
/** A firing alert without anything to judge by for this long is about something that is gone. */
const GONE_AFTER_MS = 24 * 60 * MS_PER_MINUTE

/** What is remembered of a rule and a service between two looks. */
export interface AlertState {
  firing: boolean
  sinceMs: number
  value: number
  judgedAtMs: number
  recoveringSinceMs: number | null
}

export type Judgement =
  | { status: 'quiet' }
  | { status: 'pending'; sinceMs: number; value: number }
  | { status: 'firing'; sinceMs: number; value: number; judgedAtMs: number; recoveringSinceMs: number | null }
  | { status: 'resolved'; resolution: 'recovered' | 'no data'; value: number }

/** `between` the two thresholds an alert neither begins nor ends. */
type Verdict = 'bad' | 'good' | 'between' | 'unknown'

/**
 * How a rule stands for one service. Since when a condition holds is read from the series, to the minute, and from what
 * an earlier look has seen within a minute: so it comes to the same whether anybody looked in between.
 */
export function judgeRule(
  rule: AlertRuleSettings,
  series: ServiceSeries,
  state: AlertState | undefined,
  look: ServiceLook,
): Judgement {
  const values = ruleValues(rule, series, look, state?.firing ? knownSilence(state) : {})
  const value = values.valueAt(0)
  const windowMs = rule.windowMinutes * MS_PER_MINUTE
  const absenceCounts = (back: number) =>
    (look.live || state?.firing === true) && values.timeMsAt(back) - windowMs >= look.hearingSinceMs
  const verdictAt = (back: number) => verdictOf(rule, values.valueAt(back), absenceCounts(back))
  const now: Present = { rule, values, verdictAt, verdict: verdictOf(rule, value, absenceCounts(0)), value, look }
  return state?.firing ? judgeFiring(now, state) : judgeWaiting(now, state)
}

interface Present {
  rule: AlertRuleSettings
  values: RuleValues
  verdictAt: (back: number) => Verdict
  verdict: Verdict
  value: RuleValue
  look: ServiceLook
}

function knownSilence({ judgedAtMs, value }: AlertState): { silentSinceMs: number } {
  return { silentSinceMs: judgedAtMs - value * MS_PER_MINUTE }
}

const WITHOUT_DATA: Record<NoDataChoice, Verdict> = { keep: 'unknown', resolve: 'good', fire: 'bad' }

function verdictOf(rule: AlertRuleSettings, value: RuleValue, absenceCounts: boolean): Verdict {
  if (value === undefined) return absenceCounts ? WITHOUT_DATA[rule.noData] : 'unknown'
  if (value === null) return absenceCounts && rule.noData === 'resolve' ? 'good' : 'unknown'
  if (compares(value, rule.comparator, rule.threshold)) return 'bad'
  return compares(value, rule.comparator, rule.recoveryThreshold) ? 'between' : 'good'
}

function judgeWaiting(now: Present, state: AlertState | undefined): Judgement {
  const { rule, look } = now
  if (now.verdict !== 'bad') return { status: 'quiet' }
  const value = now.value ?? 0
  const neededMs = rule.durationMinutes * MS_PER_MINUTE
  const sinceMs = runStartMs(now, 'bad', neededMs, { knownSinceMs: state?.sinceMs })
  if (look.nowMs - sinceMs < neededMs) return { status: 'pending', sinceMs, value }
  return { status: 'firing', sinceMs, value, judgedAtMs: look.nowMs, recoveringSinceMs: null }
}

function judgeFiring(now: Present, state: AlertState): Judgement {
  const { rule, verdict, look } = now
  const { sinceMs, judgedAtMs, recoveringSinceMs } = state
  const value = now.value ?? state.value
  if (isGone(now, state)) return { status: 'resolved', resolution: 'no data', value }
  if (verdict === 'unknown') return { status: 'firing', sinceMs, value, judgedAtMs, recoveringSinceMs: null }
  const judged = { status: 'firing', sinceMs, value, judgedAtMs: look.nowMs } as const
  if (verdict !== 'good') return { ...judged, recoveringSinceMs: null }
  const neededMs = rule.holdMinutes * MS_PER_MINUTE
  const known =
    recoveringSinceMs === null
      ? { afterMs: judgedAtMs }
      : { afterMs: recoveringSinceMs, knownSinceMs: recoveringSinceMs }
  const goodSinceMs = runStartMs(now, 'good', neededMs, known)
  if (look.nowMs - goodSinceMs < neededMs) return { ...judged, recoveringSinceMs: goodSinceMs }
  return { status: 'resolved', resolution: typeof now.value === 'number' ? 'recovered' : 'no data', value }
}

function isGone({ rule, verdict, value, look }: Present, { judgedAtMs }: AlertState): boolean {
  if (rule.metric === 'silence' && typeof value === 'number') return value * MS_PER_MINUTE >= GONE_AFTER_MS
  return verdict === 'unknown' && look.nowMs - judgedAtMs >= GONE_AFTER_MS
}

interface KnownRun {
  /** Since when an earlier look saw it so. */
  knownSinceMs?: number | undefined
  /** At this moment it was still otherwise, whatever the series says of the minutes before. */
  afterMs?: number
}

/** Since when the verdict has been the same at every moment up to now, looking back as far as is needed. */
function runStartMs(
  { values, verdictAt, look }: Present,
  verdict: Verdict,
  neededMs: number,
  { knownSinceMs, afterMs = Number.NEGATIVE_INFINITY }: KnownRun,
): number {
  let startMs = look.nowMs
  for (let back = 1; look.nowMs - startMs < neededMs; back++) {
    const timeMs = values.timeMsAt(back)
    if (timeMs <= afterMs) break
    if (verdictAt(back) !== verdict)
      return knownSinceMs !== undefined && knownSinceMs > timeMs ? Math.min(knownSinceMs, startMs) : startMs
    startMs = timeMs
  }
  return Math.min(startMs, knownSinceMs ?? startMs)
}
