import type { FailedSpan } from '../../domain/failed-span.ts'
import type { TimeWindow } from '../../domain/time-window.ts'
import { type FoundSign, signOf } from './failure-signs.ts'
import { MINUTE_NS, type RequestMinute, steadyErrorsSince } from './request-minutes.ts'
import { firstOf } from './resource-name.ts'
import type { Saturation } from './saturation.ts'

const FAILURES_MIN = 3
/** Of a service's requests: below it, a few unlucky ones say nothing about a limit. */
const SHARE_MIN = 0.01
/** Every API refuses a call now and then, which a retry puts right: it is at a limit when it keeps refusing. */
const REFUSED_SHARE_MIN = 0.05
/** Failures further apart than this belong to two stretches. */
const PAUSE_NS = MINUTE_NS
/** Without a failure for this long, the limit is not reached any more. */
const OVER_NS = 2n * MINUTE_NS
const RECENT_NS = 6n * MINUTE_NS

const DATABASE = ['db.namespace', 'db.name', 'server.address', 'net.peer.name', 'db.system.name', 'db.system']
const TARGET = ['peer.service', 'server.address', 'net.peer.name', 'url.domain', 'http.host', 'rpc.service']

export interface FailureFacts {
  /** Failed spans of every service, newest first. */
  errorSpans: readonly FailedSpan[]
  /** The time that they are complete for. */
  window: TimeWindow
  requests: readonly RequestMinute[]
}

interface Failures {
  sign: FoundSign
  serviceName: string
  resource: string
  traces: Set<string>
  /** Newest first. */
  timesNs: bigint[]
}

/**
 * Limits that show in failed requests alone: exceptions of pools that had nothing left to give, and answers that refuse
 * because there is too much to do. Something has refused, so the limit is reached: its utilization is 100.
 */
export function failureSaturations(facts: FailureFacts): Saturation[] {
  const { requests, window } = facts
  const asked = requestsIn(requests, window)
  return [...failuresOf(facts.errorSpans).values()]
    .filter(({ timesNs }) => window.endNs - (timesNs[0] ?? 0n) <= OVER_NS)
    .filter(({ sign, traces, serviceName }) => {
      const share = sign === THROTTLED ? REFUSED_SHARE_MIN : SHARE_MIN
      return traces.size >= Math.max(FAILURES_MIN, share * (asked.get(serviceName) ?? 0))
    })
    .map((failures) => saturationOf(failures, facts))
}

function saturationOf({ sign, serviceName, resource, timesNs }: Failures, facts: FailureFacts): Saturation {
  return {
    type: sign.type,
    serviceName,
    instance: '',
    instanceLabel: '',
    resource,
    severity: 'critical',
    onsetNs: onsetOf(timesNs, serviceName, facts),
    lastNs: timesNs[0] ?? facts.window.endNs,
    isLasting: true,
    utilization: 100,
    capacity: sign.size,
    queueDepth: sign.waiting,
    sampleCount: timesNs.length,
    ofHost: false,
  }
}

/** Failures by what they tell of, each trace once: an exception that climbs up through a service's spans is one failure. */
function failuresOf(spans: readonly FailedSpan[]): Map<string, Failures> {
  const found = spans.map((span) => ({ span, sign: signOfSpan(span) }))
  const failedBelow = new Set<string>()
  const signedBelow = new Set<string>()
  for (const { span, sign } of found) {
    failedBelow.add(`${span.traceId} ${span.parentSpanId}`)
    if (sign) signedBelow.add(`${span.traceId} ${span.parentSpanId} ${sign.type}`)
  }
  const failures = new Map<string, Failures>()
  for (const { span, sign } of found) {
    const place = `${span.traceId} ${span.spanId}`
    if (sign && !signedBelow.has(`${place} ${sign.type}`)) add(failures, span, sign, poolName(span, sign))
    else if (!sign && !failedBelow.has(place) && isThrottled(span)) add(failures, span, THROTTLED, limiterName(span))
  }
  return failures
}

const THROTTLED: FoundSign = { type: 'rate_limit', named: '', resource: 'rate limit', size: 0, waiting: 0 }

function add(failures: Map<string, Failures>, span: FailedSpan, sign: FoundSign, resource: string): void {
  const key = JSON.stringify([span.serviceName, sign.type, resource])
  const known = failures.get(key) ?? {
    sign,
    serviceName: span.serviceName,
    resource,
    traces: new Set<string>(),
    timesNs: [],
  }
  failures.set(key, known)
  if (known.traces.has(span.traceId)) return
  known.traces.add(span.traceId)
  known.timesNs.push(span.startNs)
}

function signOfSpan(span: FailedSpan): FoundSign | undefined {
  for (const { name, attributes } of span.events) {
    if (name !== 'exception') continue
    const sign = signOf(firstOf(attributes, ['exception.type']), firstOf(attributes, ['exception.message']))
    if (sign) return sign
  }
  const errorType = firstOf(span.attributes, ['error.type'])
  return errorType === '' && span.statusMessage === '' ? undefined : signOf(errorType, span.statusMessage)
}

/** An answer of 503 that has a reason of its own (an exception) is a failure like any other. */
function isThrottled({ attributes, events }: FailedSpan): boolean {
  const http = firstOf(attributes, ['http.response.status_code', 'http.status_code'])
  if (http === '429') return true
  if (http === '503') return !events.some(({ name }) => name === 'exception')
  const rpc = firstOf(attributes, ['rpc.response.status_code', 'rpc.grpc.status_code', 'error.type'])
  return rpc === '8' || rpc === 'RESOURCE_EXHAUSTED'
}

function poolName({ attributes, kind, operationName }: FailedSpan, { type, named, resource }: FoundSign): string {
  if (named !== '') return named
  if (type === 'connection_pool') return firstOf(attributes, DATABASE) || resource
  if (type === 'rate_limit') return (kind === 'CLIENT' && firstOf(attributes, TARGET)) || operationName
  return resource
}

/** Who limits: the other side of a call, or the operation that refuses. */
function limiterName({ attributes, kind, operationName }: FailedSpan): string {
  return (kind === 'CLIENT' && firstOf(attributes, TARGET)) || operationName
}

/**
 * The first failure of the present stretch. Where the spans at hand do not reach back behind it, the minutes before in which
 * the service failed about as often are taken for the same: an estimate.
 */
function onsetOf(timesNs: readonly bigint[], serviceName: string, { window, requests }: FailureFacts): bigint {
  let onsetNs = timesNs[0] ?? window.endNs
  for (const timeNs of timesNs) {
    if (onsetNs - timeNs > PAUSE_NS) return onsetNs
    onsetNs = timeNs < onsetNs ? timeNs : onsetNs
  }
  const reachesBack = onsetNs - window.startNs > PAUSE_NS
  return reachesBack ? onsetNs : steadyErrorsSince(requests, serviceName, onsetNs)
}

/** How many requests each service had in the time of the window, judged by how many it has in a minute. */
function requestsIn(requests: readonly RequestMinute[], { startNs, endNs }: TimeWindow): Map<string, number> {
  const counts = new Map<string, number>()
  const minutes = new Set<bigint>()
  for (const { serviceName, minuteNs, requestCount } of requests) {
    if (minuteNs < endNs - RECENT_NS || minuteNs >= endNs) continue
    minutes.add(minuteNs)
    counts.set(serviceName, (counts.get(serviceName) ?? 0) + requestCount)
  }
  const share = Number(endNs - startNs) / Number(MINUTE_NS) / Math.max(1, minutes.size)
  return new Map([...counts].map(([serviceName, count]) => [serviceName, count * share]))
}
