import type { Random } from './random.ts'
import type { SimulatedService } from './simulated-services.ts'

export type PlannedKind = 'server' | 'http-client' | 'database' | 'internal' | 'producer' | 'consumer'

export interface PlannedSpan {
  /** Its place among the trace's spans; -1 for the root. */
  parent: number
  service: SimulatedService
  instance: number
  kind: PlannedKind
  /** One of the service's operations of that kind. */
  choice: number
  /** The service that an http client calls. */
  peer: SimulatedService | undefined
  startNs: number
  durationNs: number
  failed: boolean
  hasException: boolean
}

const SPANS_PER_TRACE_MEDIAN = 6.3
const SPANS_PER_TRACE_MAX = 60
const ROOT_DURATION_MEDIAN_NS = 80e6
const ROOT_DURATION_MAX_NS = 20e9
/** Failures begin at this share of the spans; about half of them reach the caller, which makes 2 % in all. */
const FAILURE_SHARE = 0.013

/** A trace: calls between services, their databases and queues, log-normal in size and in durations. */
export function planTrace(random: Random, services: SimulatedService[], spansMax: number): PlannedSpan[] {
  const [entry] = services
  if (!entry) throw new Error('there are no services')
  const wanted = Math.round(random.logNormal(SPANS_PER_TRACE_MEDIAN, 0.7))
  const count = Math.min(Math.max(wanted, 1), SPANS_PER_TRACE_MAX, spansMax)
  const durationNs = Math.min(random.logNormal(ROOT_DURATION_MEDIAN_NS, 0.9), ROOT_DURATION_MAX_NS)
  const spans = [spanOf(random, entry, 'server', -1, 0, durationNs)]
  while (spans.length < count) spans.push(nextSpan(random, spans))
  markFailures(random, spans)
  return spans
}

/** A call that nobody answered yet is answered first; otherwise a span that can call does so. */
function nextSpan(random: Random, spans: PlannedSpan[]): PlannedSpan {
  const last = spans.length - 1
  const newest = spans[last] as PlannedSpan
  if (newest.peer) return within(random, newest, last, newest.peer, 'server')
  if (newest.kind === 'producer') return within(random, newest, last, random.pick(newest.service.consumers), 'consumer')
  const callers = spans.flatMap(({ kind }, i) => (kind === 'server' || kind === 'consumer' ? [i] : []))
  const parent = callers[Math.floor(random.unit() ** 0.25 * callers.length)] as number
  const caller = spans[parent] as PlannedSpan
  const kind = random.pick([
    'http-client',
    'http-client',
    'http-client',
    'database',
    'database',
    'internal',
    'producer',
  ])
  const span = within(random, caller, parent, caller.service, kind as PlannedKind)
  span.instance = caller.instance
  if (kind === 'http-client') span.peer = random.pick(caller.service.peers)
  return span
}

function within(
  random: Random,
  outer: PlannedSpan,
  parent: number,
  service: SimulatedService,
  kind: PlannedKind,
): PlannedSpan {
  const startNs = outer.startNs + outer.durationNs * 0.6 * random.unit()
  const longestNs = outer.startNs + outer.durationNs - startNs
  const durationNs = Math.min(longestNs * 0.98, random.logNormal(longestNs * 0.5, 0.6))
  return spanOf(random, service, kind, parent, startNs, durationNs)
}

function spanOf(
  random: Random,
  service: SimulatedService,
  kind: PlannedKind,
  parent: number,
  startNs: number,
  durationNs: number,
): PlannedSpan {
  const instance = random.below(service.instances.length)
  const choice = random.below(kind === 'server' ? service.routes.length : 2)
  const peer = undefined
  return { parent, service, instance, kind, choice, peer, startNs, durationNs, failed: false, hasException: false }
}

function markFailures(random: Random, spans: PlannedSpan[]): void {
  for (const origin of spans) {
    if (random.unit() >= FAILURE_SHARE) continue
    origin.hasException = origin.kind !== 'http-client' && random.unit() < 0.6
    let failing: PlannedSpan | undefined = origin
    while (failing && !failing.failed) {
      failing.failed = true
      failing = random.unit() < 0.4 ? spans[failing.parent] : undefined
    }
  }
}
