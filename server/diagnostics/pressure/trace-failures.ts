import { type Failures, type Telling, valuesByMessage } from '../../domain/failures.ts'
import { foldedMessage, textsOf } from '../../domain/message-template.ts'
import { type SpanKind, spanKindOf } from '../../domain/span.ts'
import type { TimeWindow } from '../../domain/time-window.ts'
import { type FoundSign, signOf } from './failure-signs.ts'
import { MINUTE_NS, type RequestMinute, steadyErrorsSince } from './request-minutes.ts'
import { firstOf, textOf } from './resource-name.ts'
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
  /** Failed spans of every service. */
  failures: Failures
  /** The window that was asked for them. */
  asked: TimeWindow
  /** The part of it that they are complete for. */
  window: TimeWindow
  requests: readonly RequestMinute[]
}

/** Failures that tell of the same limit. */
interface Refusals {
  sign: FoundSign
  serviceName: string
  resource: string
  traces: Set<number>
  /** Newest first. */
  timesNs: bigint[]
}

/** What the place of a failed span in `tellings` says of limits. */
interface ToldLimit {
  sign: FoundSign | undefined
  isThrottled: boolean
}

/**
 * Limits that show in failed requests alone: exceptions of pools that had nothing left to give, and answers that refuse
 * because there is too much to do. Something has refused, so the limit is reached: its utilization is 100.
 */
export function failureSaturations(facts: FailureFacts): Saturation[] {
  const { requests, window } = facts
  const asked = requestsIn(requests, window)
  return refusalsIn(facts)
    .filter(({ timesNs }) => window.endNs - (timesNs[0] ?? 0n) <= OVER_NS)
    .filter(({ sign, traces, serviceName }) => {
      const share = sign === THROTTLED ? REFUSED_SHARE_MIN : SHARE_MIN
      return traces.size >= Math.max(FAILURES_MIN, share * (asked.get(serviceName) ?? 0))
    })
    .map((refusals) => saturationOf(refusals, facts))
}

function saturationOf({ sign, serviceName, resource, timesNs }: Refusals, facts: FailureFacts): Saturation {
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
function refusalsIn({ failures, asked }: FailureFacts): Refusals[] {
  const limits = failures.tellings.map(
    (telling): ToldLimit => ({
      sign: signOfTelling(telling),
      isThrottled: isThrottled(telling),
    }),
  )
  const limitOf = (row: number) => limits[failures.told[row] as number] as ToldLimit
  const found = new Map<string, Refusals>()
  for (const row of toldAtInnermost(failures, limitOf))
    add(found, failures, row, limitOf(row).sign ?? THROTTLED, asked.startNs)
  for (const { timesNs } of found.values()) timesNs.sort((a, b) => (a > b ? -1 : a < b ? 1 : 0))
  return [...found.values()]
}

/**
 * The rows that tell of a limit, without those under which another span tells of the same kind of it; and without refusals
 * under which another span failed.
 */
function toldAtInnermost(failures: Failures, limitOf: (row: number) => ToldLimit): Set<number> {
  const { count, traces, spans, parents } = failures
  const told = new Set<number>()
  const bySpan = new Map<number, number[]>()
  for (let row = 0; row < count; row++) {
    const { sign, isThrottled } = limitOf(row)
    if (!sign && !isThrottled) continue
    told.add(row)
    const span = spans[row] as number
    const same = bySpan.get(span)
    if (same) same.push(row)
    else bySpan.set(span, [row])
  }
  for (let row = 0; row < count && told.size > 0; row++) {
    const parent = parents[row] as number
    if (parent === 0) continue
    for (const above of bySpan.get(parent) ?? []) {
      const { sign } = limitOf(above)
      const isTold = sign === undefined || limitOf(row).sign?.type === sign.type
      if (isTold && traces[above] === traces[row]) told.delete(above)
    }
  }
  return told
}

const THROTTLED: FoundSign = { type: 'rate_limit', named: '', resource: 'rate limit', size: 0, waiting: 0 }

function add(found: Map<string, Refusals>, failures: Failures, row: number, sign: FoundSign, sinceNs: bigint): void {
  const { names, services, operations, kinds, tellings, told, traces, startsNs } = failures
  const serviceName = names[services[row] as number] as string
  const operationName = names[operations[row] as number] as string
  const telling = tellings[told[row] as number] as Telling
  const kind = spanKindOf(kinds[row] as number)
  const resource =
    sign === THROTTLED ? limiterName(telling, kind, operationName) : poolName(telling, kind, operationName, sign)
  const key = JSON.stringify([serviceName, sign.type, resource])
  const known = found.get(key) ?? { sign, serviceName, resource, traces: new Set<number>(), timesNs: [] }
  found.set(key, known)
  const trace = traces[row] as number
  if (known.traces.has(trace)) return
  known.traces.add(trace)
  known.timesNs.push(sinceNs + BigInt(startsNs[row] as number))
}

/** The figures in the messages are those of one span. */
function signOfTelling(telling: Telling): FoundSign | undefined {
  const { exceptions, attributes, statusMessage } = telling
  const values = valuesByMessage(telling, telling.samples[0] ?? [])
  const filled = (message: string, place: number) => foldedMessage(textsOf(message), values[place] ?? [])
  for (const [i, { type, message }] of exceptions.entries()) {
    const sign = signOf(textOf(type), filled(textOf(message), i + 1))
    if (sign) return sign
  }
  const errorType = firstOf(attributes, ['error.type'])
  return errorType === '' && statusMessage === '' ? undefined : signOf(errorType, filled(statusMessage, 0))
}

/** An answer of 503 that has a reason of its own (an exception) is a failure like any other. */
function isThrottled({ attributes, exceptions }: Telling): boolean {
  const http = firstOf(attributes, ['http.response.status_code', 'http.status_code'])
  if (http === '429') return true
  if (http === '503') return exceptions.length === 0
  const rpc = firstOf(attributes, ['rpc.response.status_code', 'rpc.grpc.status_code', 'error.type'])
  return rpc === '8' || rpc === 'RESOURCE_EXHAUSTED'
}

function poolName(
  { attributes }: Telling,
  kind: SpanKind,
  operationName: string,
  { type, named, resource }: FoundSign,
): string {
  if (named !== '') return named
  if (type === 'connection_pool') return firstOf(attributes, DATABASE) || resource
  if (type === 'rate_limit') return (kind === 'CLIENT' && firstOf(attributes, TARGET)) || operationName
  return resource
}

/** Who limits: the other side of a call, or the operation that refuses. */
function limiterName({ attributes }: Telling, kind: SpanKind, operationName: string): string {
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
