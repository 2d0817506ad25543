import { eventOf, type FoundEvent, MS_PER_MINUTE } from '../changes/found-event.ts'
import type { AnomalyState, OpenAnomaly } from './anomaly-state.ts'
import { errorRateJudge } from './error-rate.ts'
import { figureOf, type Judge } from './judge.ts'
import { latencyJudge } from './latency.ts'
import { type MinuteSums, type MinuteTable, sumOf } from './minute-series.ts'
import { trafficDropJudge, trafficSurgeJudge } from './traffic.ts'

const JUDGES: Judge[] = [errorRateJudge, latencyJudge, trafficDropJudge, trafficSurgeJudge]

const BASELINE_MINUTES = 60
const BASELINE_MINUTES_MIN = 10
const BASELINE_REQUESTS_MIN = 30
/** Nothing shorter is an anomaly. */
const RUN_MINUTES_MIN = 3
const RECOVERY_MINUTES = 3
const RECOVERY_REQUESTS_MIN = 10
const RECOVERY_LOOK_BACK_MINUTES = 15
/** Of the way from what is normal to what an anomaly is like: a minute that has gone so far may be its first. */
const ONSET_SHARE = 0.2
/** The figures of an anomaly are those of its first minutes. */
const TOLD_MINUTES = 10
/** What lasts longer is normal from then on. */
const LASTS_MINUTES_MAX = 6 * 60
/** The longest run, and the baseline before it. */
export const LOOK_BACK_MINUTES = 75

/** A service's requests, and which of its minutes can be judged. */
export interface Observed {
  serviceName: string
  /** From `LOOK_BACK_MINUTES` before the start on. */
  table: MinuteTable
  /** When the service was first seen. */
  firstMinute: number
  /** The minutes to judge. */
  start: number
  end: number
  /** Whether what is open at the end is to be told as it stands. */
  isLast: boolean
}

/** Anomalies that begin and end in these minutes. Alters `state`. */
export function serviceAnomalies(state: AnomalyState, observed: Observed): FoundEvent[] {
  const events = JUDGES.flatMap((judge) => {
    const own: FoundEvent[] = []
    for (let minute = observed.start; minute < observed.end; minute++) {
      if (!observed.table.isKnown(minute)) continue
      const open = state.open.get(judge.kind)
      if (open) own.push(...judgeOpen(judge, state, open, observed, minute))
      else judgeCalm(judge, state, observed, minute)
    }
    return [...own, ...toldAtEnd(judge, state, observed)]
  })
  state.closed = state.closed.filter(({ end }) => end > observed.end - LOOK_BACK_MINUTES - BASELINE_MINUTES)
  return events
}

function judgeCalm(judge: Judge, state: AnomalyState, observed: Observed, minute: number): void {
  const closed = state.closed.filter(({ kind }) => kind === judge.kind)
  const lastEnd = Math.max(0, ...closed.map(({ end }) => end))
  for (const length of judge.runs) {
    const after = Math.max(minute - length, lastEnd - 1)
    if (closed.length === 0 && !mayBeOff(judge, observed, after + 1, minute + 1)) continue
    const run = minutesUpTo(judge, observed, minute, length, after)
    if (run.length < (judge.countsEmptyMinutes ? length : RUN_MINUTES_MIN)) continue
    const calm = calmBefore(judge, state, observed, (run[0] as Observation).minute)
    if (!isEnough(calm)) continue
    const sums = run.map(({ sums }) => sums)
    const figures = { before: figureOf(judge, calm), during: figureOf(judge, sums) }
    if (!judge.isFar(figures.during, figures.before) || !judge.isOff(sums, calm)) continue
    const high = run.filter(({ sums }) => judge.isHigh(sums, figures.before))
    if (high.length < Math.max(RUN_MINUTES_MIN, run.length / 2)) continue
    const { before } = figures
    state.open.set(judge.kind, { onset: onsetOf(judge, run, high, before), before, told: false })
    return
  }
}

/**
 * The high minute from which on the figure exceeds by most what was normal. A bad minute that calm ones follow is no beginning,
 * nor is one that is bad by chance just before.
 */
function onsetOf(judge: Judge, run: Observation[], high: Observation[], before: number): number {
  const during = figureOf(
    judge,
    high.map(({ sums }) => sums),
  )
  const reached = before + (during - before) * ONSET_SHARE
  let [excess, most, onset] = [0, 0, (high.at(-1) as Observation).minute]
  for (const { minute, sums } of run.toReversed()) {
    const weight = judge.countsEmptyMinutes ? 1 : sums.requests
    excess += (judge.figureOf(sums, 1) - reached) * Math.sign(during - before) * weight
    if (excess < most || !high.some((each) => each.minute === minute)) continue
    most = excess
    onset = minute
  }
  return onset
}

/** Most minutes are nothing like an anomaly, which is seen at once. */
function mayBeOff(judge: Judge, { table, firstMinute }: Observed, start: number, end: number): boolean {
  const [run, before] = [
    table.between(start, end),
    table.between(Math.max(firstMinute, start - BASELINE_MINUTES), start),
  ]
  if (run.sums.requests === 0 && !judge.countsEmptyMinutes) return false
  const figures = [run, before].map(({ sums, minutes }) => judge.figureOf(sums, minutes)) as [number, number]
  return judge.isFar(...figures)
}

function judgeOpen(judge: Judge, state: AnomalyState, open: OpenAnomaly, observed: Observed, minute: number) {
  const isOver = minute - open.onset > LASTS_MINUTES_MAX
  const back = isOver ? undefined : backAt(judge, open, observed, minute)
  if (!isOver && back === undefined) return []
  const end = back?.minute ?? minute
  state.open.delete(judge.kind)
  state.closed.push({ kind: judge.kind, start: open.onset, end })
  const events = open.told ? [] : [anomaly(judge, open, observed, end)]
  if (back) events.push(recovery(judge, open, observed.serviceName, back))
  return events
}

/** Once its first minutes are over, an anomaly is told for good. */
function toldAtEnd(judge: Judge, state: AnomalyState, observed: Observed): FoundEvent[] {
  const open = state.open.get(judge.kind)
  if (open === undefined || open.told) return []
  open.told = observed.end >= open.onset + TOLD_MINUTES && !observed.isLast
  return open.told || observed.isLast ? [anomaly(judge, open, observed, observed.end)] : []
}

interface Back {
  minute: number
  figure: number
}

/** When the figure was back, if the last minutes up to this one are all there is to see of it. */
function backAt(judge: Judge, open: OpenAnomaly, observed: Observed, minute: number): Back | undefined {
  for (let length = RECOVERY_MINUTES; length <= RECOVERY_LOOK_BACK_MINUTES; length++) {
    const run = minutesUpTo(judge, observed, minute, length, Math.max(open.onset, minute - RECOVERY_LOOK_BACK_MINUTES))
    if (run.length < length) return
    const sums = run.map(({ sums }) => sums)
    if (!judge.countsEmptyMinutes && sumOf(sums).requests < RECOVERY_REQUESTS_MIN) continue
    const isBack = (minutes: MinuteSums[]) => judge.isBack(figureOf(judge, minutes), open.before)
    if (!isBack(sums) || !isBack(sums.slice(0, 1))) return
    return { minute: (run[0] as Observation).minute, figure: figureOf(judge, sums) }
  }
  return
}

interface Observation {
  minute: number
  sums: MinuteSums
}

/** The latest minutes up to this one and after `after` that count, ascending. */
function minutesUpTo(judge: Judge, observed: Observed, minute: number, length: number, after: number): Observation[] {
  const found: Observation[] = []
  for (let each = minute; each > after && found.length < length; each--) {
    const sums = observed.table.at(each)
    if (judge.countsEmptyMinutes ? observed.table.isKnown(each) : sums.requests > 0) found.push({ minute: each, sums })
  }
  return found.reverse()
}

function calmBefore(judge: Judge, { closed }: AnomalyState, observed: Observed, start: number): MinuteSums[] {
  const after = Math.max(start - BASELINE_MINUTES, observed.firstMinute) - 1
  const minutes = minutesUpTo(judge, observed, start - 1, BASELINE_MINUTES, after)
  const isCalm = (minute: number) =>
    !closed.some(({ kind, start, end }) => kind === judge.kind && start <= minute && minute < end)
  return minutes.filter(({ minute }) => isCalm(minute)).map(({ sums }) => sums)
}

function isEnough(minutes: MinuteSums[]): boolean {
  return minutes.length >= BASELINE_MINUTES_MIN && sumOf(minutes).requests >= BASELINE_REQUESTS_MIN
}

function anomaly(judge: Judge, open: OpenAnomaly, observed: Observed, end: number): FoundEvent {
  const last = Math.min(open.onset + TOLD_MINUTES, end) - 1
  const minutes = minutesUpTo(judge, observed, last, TOLD_MINUTES, open.onset - 1).map(({ sums }) => sums)
  const figures = { before: open.before, during: figureOf(judge, minutes) }
  return eventOf({
    type: 'anomaly',
    severity: judge.isCritical(figures) ? 'critical' : 'warning',
    serviceName: observed.serviceName,
    minute: open.onset,
    subject: judge.kind,
    description: judge.describe(figures),
    details: { metric: judge.metric, before: String(figures.before), during: String(figures.during) },
  })
}

function recovery(judge: Judge, open: OpenAnomaly, serviceName: string, back: Back): FoundEvent {
  const minutes = back.minute - open.onset
  return eventOf({
    type: 'recovery',
    serviceName,
    minute: back.minute,
    subject: judge.kind,
    description: `${judge.describeBack(back.figure)} after ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`,
    details: { metric: judge.metric, since: new Date(open.onset * MS_PER_MINUTE).toISOString() },
  })
}
