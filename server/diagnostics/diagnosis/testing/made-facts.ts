import { type SpanLiteral, traceSpanOf } from '../../../storage/conformance/span-builder.ts'
import { atNs, windowMs } from '../../../storage/conformance/test-time.ts'
import type { Details, Overview } from '../facts.ts'
import type { BrokenHabit } from '../habits/habit.ts'
import { createMinuteAxis } from '../series/minute-axis.ts'
import type { EdgeSeries, MinuteSeries, OperationSeries } from '../series/minute-series.ts'
import type { CastVote } from '../suspects/suspect.ts'
import type { Symptom } from '../symptoms/symptom.ts'
import { WholeSpans } from '../traces/whole-spans.ts'

/** A baseline of an hour and a window of 15 minutes, in which trouble began after 5. */
export const axis = createMinuteAxis(windowMs(0, 3_600_000), windowMs(3_600_000, 4_500_000), undefined)
export const TROUBLE = { from: 65, to: 75 }

/** The same in all minutes before the trouble, and the same in all minutes of it. */
function stepped(before: number, during: number): number[] {
  return Array.from({ length: axis.length }, (_, minute) => (minute >= TROUBLE.from ? during : before))
}

function seriesOf({ requests = 60, ms = [10, 10], errors = [0, 0] }: Level): MinuteSeries {
  return {
    requests: stepped(requests, requests),
    errors: stepped(errors[0], errors[1]),
    durationMs: stepped(requests * ms[0], requests * ms[1]),
  }
}

/** Before and during. */
interface Level {
  requests?: number
  ms?: [number, number]
  errors?: [number, number]
}

export function serviceOf(serviceName: string, level: Level = {}): OperationSeries {
  const series = seriesOf(level)
  return { serviceName, operationName: '', content: series.requests, ...series }
}

export function edgeOf(sourceName: string, targetName: string, level: Level = {}, targetIsService = true): EdgeSeries {
  return { sourceName, targetName, targetIsService, isMessage: false, unanswered: stepped(0, 0), ...seriesOf(level) }
}

export function symptomOf(serviceName: string, kind: Symptom['kind'] = 'errors', onsetMinute = TROUBLE.from): Symptom {
  const series = serviceOf(serviceName)
  const sums = { requests: 600, errors: 0, durationMs: 6000 }
  return {
    kind,
    subject: { of: 'service', series },
    serviceName,
    episode: { from: onsetMinute, to: TROUBLE.to },
    onsetNs: atNs(onsetMinute * 60_000),
    calm: Array.from({ length: onsetMinute }, (_, minute) => minute),
    before: sums,
    during: { ...sums, errors: 300 },
    pValue: 0,
    tried: 1000,
    isLookedAt: true,
  }
}

export function voteFor(vote: Pick<CastVote, 'place' | 'symptom'> & Partial<CastVote>, at: SpanLiteral = {}): CastVote {
  const origin = traceSpanOf({ service: vote.place.serviceName, ...at })
  return { by: 'error', failure: undefined, addedMs: 0, traceId: origin.traceId, path: [], origin, ...vote }
}

/** A failure that a service newly reports in its log. */
export function reportOf(serviceName: string, given: Partial<BrokenHabit> = {}): BrokenHabit {
  return {
    ...{ serviceName, operationName: 'GET /', of: 'statement', way: 'new', name: 'it failed', given: '' },
    ...{ examples: [], exceptionType: '', severityNumber: 17, episode: TROUBLE, onsetNs: atNs(TROUBLE.from * 60_000) },
    ...{ before: { part: 0, whole: 600 }, during: { part: 80, whole: 100 }, pValue: 1e-9, traceId: '' },
    ...{ mention: undefined, isBrokenBy: () => undefined },
    ...given,
  }
}

export function times<T>(count: number, make: (i: number) => T): T[] {
  return Array.from({ length: count }, (_, i) => make(i))
}

export function overviewOf(facts: Partial<Overview>): Overview {
  return { axis, operations: [], services: [], edges: [], logs: [], changes: [], ...facts }
}

export const NO_DETAILS: Details = {
  samples: [],
  forest: new Map(),
  votes: [],
  origins: new WholeSpans([]),
  resources: { resources: [], rows: [] },
  saturations: [],
  witnesses: new Map(),
}
