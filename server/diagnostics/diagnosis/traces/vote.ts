import type { TraceSpan } from '../../../domain/span.ts'
import { longestMentions } from '../habits/longest-mentions.ts'
import { errorOrigin, goodAnswerTo } from './error-origin.ts'
import { type Failure, failureOf, UNKNOWN_FAILURE } from './failure.ts'
import { type Place, placeOf } from './place.ts'
import { isCall, type SpanNode } from './span-forest.ts'
import { mostAdded, type UsualTime, usualMsOf } from './time-by-place.ts'
import type { WholeSpans } from './whole-spans.ts'

/** What one bad request says about where its trouble began. */
export interface Vote {
  place: Place
  by: 'error' | 'time'
  /** Where it began. */
  origin: TraceSpan
  /** What failed there, or above it, where something failed. */
  failure: Failure | undefined
  addedMs: number
  traceId: string
}

export interface VoteContext {
  usual: Map<string, UsualTime>
  services: ReadonlySet<string>
  /** Among them the errors' origins. */
  origins: WholeSpans
}

/** Undefined where a request is slow without any part of it being slower than usual. */
export function voteOf(request: SpanNode, context: VoteContext): Vote | undefined {
  return request.span.status === 'ERROR' ? voteOfFailed(request, context) : voteByTime(request, undefined, context)
}

function voteOfFailed(request: SpanNode, context: VoteContext): Vote | undefined {
  const origin = errorOrigin(request)
  const whole = context.origins.find(origin.span)
  const failure = whole ? failureOf(whole) : UNKNOWN_FAILURE
  const answer = isCall(origin.span) ? goodAnswerTo(origin) : undefined
  if (answer === undefined)
    return voteByError(origin, unreached(placeOf(origin, context.services), failure, context), failure)
  const cameTooLate = failure.class === 'timeout' || answer.span.durationNs >= origin.span.durationNs
  if (!cameTooLate) return voteByError(answer, { at: 'inside', serviceName: answer.span.serviceName }, failure)
  if (isHasty(origin, context))
    return voteByError(origin, { at: 'inside', serviceName: origin.span.serviceName }, failure)
  return voteByTime(origin, failure, context)
}

/** Where whoever was called outside passes on that it could not reach a service itself, that service is the one. */
function unreached(place: Place, { class: what, message }: Failure, { services }: VoteContext): Place {
  if (place.at !== 'call' || place.targetIsService || (what !== 'refused' && what !== 'timeout')) return place
  const named = [...longestMentions(message, [...services, place.targetName])]
  const [only] = named.filter((name) => services.has(name) && name !== place.serviceName)
  return only === undefined || named.length > 1 ? place : { ...place, targetName: only, targetIsService: true }
}

/** Whoever does not wait as long as the answer usually takes is at fault itself. */
function isHasty(call: SpanNode, { usual, services }: VoteContext): boolean {
  return Number(call.span.durationNs) / 1e6 < usualMsOf(call, usual, services)
}

function voteByError({ span }: SpanNode, place: Place, failure: Failure): Vote {
  return { place, by: 'error', origin: span, failure, addedMs: 0, traceId: span.traceId }
}

function voteByTime(request: SpanNode, failure: Failure | undefined, { usual, services }: VoteContext) {
  const most = mostAdded(request, usual, services)
  if (most === undefined) return undefined
  const { place, longest, addedMs } = most
  return { place, by: 'time' as const, origin: longest.span, failure, addedMs, traceId: request.span.traceId }
}
