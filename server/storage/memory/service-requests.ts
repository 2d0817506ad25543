import type { ApdexThresholds } from '../../domain/apdex.ts'
import type { Span } from '../../domain/span.ts'
import { NS_PER_HOUR, type TimeWindow } from '../../domain/time-window.ts'
import type { ServiceRequests, UnansweredCalls } from '../telemetry-store.ts'
import { ascending } from './ascending.ts'
import { spanKey } from './grid-rows.ts'
import { groupedBy } from './grouped-by.ts'
import { startsIn } from './trace-search.ts'

type Spans = ReadonlyMap<string, Span>

export function serviceRequests(spans: Spans, window: TimeWindow, thresholds: ApdexThresholds): ServiceRequests[] {
  const entryServices = servicesOf(recentSpans(spans, window).filter(isEntry))
  const requests = [...spans.values()].filter(
    (span) => startsIn(span, window) && isRequest(span, parentOf(span, spans), entryServices),
  )
  return [...groupedBy(requests, (span) => span.serviceName)]
    .map(([serviceName, own]) => summed(serviceName, own, thresholds))
    .toSorted((a, b) => ascending(a.serviceName, b.serviceName))
}

export function unansweredCalls(spans: Spans, window: TimeWindow): UnansweredCalls[] {
  const services = servicesOf(recentSpans(spans, window))
  const answers = new Set(
    [...spans.values()].map((span) => answerKey(span.traceId, span.parentSpanId, span.serviceName)),
  )
  const callees = [...spans.values()]
    .filter((span) => startsIn(span, window) && isCall(span) && span.status === 'ERROR')
    .flatMap((call) => {
      const callee = calleeOf(call)
      const known = callee !== undefined && callee !== call.serviceName && services.has(callee)
      return known && !answers.has(answerKey(call.traceId, call.spanId, callee)) ? [callee] : []
    })
  return [...groupedBy(callees, (callee) => callee)]
    .map(([serviceName, calls]) => ({ serviceName, failedCount: calls.length }))
    .toSorted((a, b) => ascending(a.serviceName, b.serviceName))
}

/** Spans of the 24 hours before the window ends. */
function recentSpans(spans: Spans, { endNs }: TimeWindow): Span[] {
  return [...spans.values()].filter((span) => startsIn(span, { startNs: endNs - 24n * NS_PER_HOUR, endNs }))
}

function servicesOf(spans: Span[]): Set<string> {
  return new Set(spans.map((span) => span.serviceName))
}

function parentOf(span: Span, spans: Spans): Span | undefined {
  return spans.get(spanKey(span.traceId, span.parentSpanId))
}

/** A service that was asked nothing by others lately is judged by its local roots. */
function isRequest(span: Span, parent: Span | undefined, entryServices: Set<string>): boolean {
  const sameService = parent?.serviceName === span.serviceName
  if (!entryServices.has(span.serviceName)) return !sameService
  const nested = parent !== undefined && sameService && isEntry(parent)
  return isEntry(span) && !nested && !isReceive(span)
}

function isEntry(span: Span): boolean {
  return span.kind === 'SERVER' || span.kind === 'CONSUMER'
}

function isCall(span: Span): boolean {
  return span.kind === 'CLIENT' || span.kind === 'PRODUCER'
}

function isReceive({ kind, attributes }: Span): boolean {
  const operation = attributes['messaging.operation.type'] ?? attributes['messaging.operation']
  return kind === 'CONSUMER' && operation === 'receive'
}

function calleeOf({ attributes }: Span): string | undefined {
  const name = attributes['peer.service'] ?? attributes['server.address']
  return typeof name === 'string' ? name : undefined
}

function answerKey(traceId: string, callSpanId: string, serviceName: string): string {
  return JSON.stringify([traceId, callSpanId, serviceName])
}

function summed(serviceName: string, requests: Span[], { defaultMs, byService }: ApdexThresholds): ServiceRequests {
  const thresholdMs = Object.hasOwn(byService, serviceName) ? (byService[serviceName] as number) : defaultMs
  const thresholdNs = BigInt(Math.round(thresholdMs * 1e6))
  const fine = requests.filter((span) => span.status !== 'ERROR')
  return {
    serviceName,
    requestCount: requests.length,
    errorCount: requests.length - fine.length,
    durationNsSum: requests.reduce((sum, span) => sum + span.durationNs, 0n),
    satisfiedCount: fine.filter((span) => span.durationNs <= thresholdNs).length,
    toleratingCount: fine.filter((span) => span.durationNs > thresholdNs && span.durationNs <= 4n * thresholdNs).length,
  }
}
