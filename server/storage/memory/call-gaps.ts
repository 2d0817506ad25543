import type { Span } from '../../domain/span.ts'
import { minutesOf, NS_PER_HOUR, type TimeWindow } from '../../domain/time-window.ts'
import type { CallGaps } from '../diagnostics-reader.ts'
import { ascending } from './ascending.ts'
import { fnv1a } from './fnv1a.ts'
import { spanKey } from './grid-rows.ts'
import { groupedBy } from './grouped-by.ts'
import { isDrawn } from './span-shapes.ts'
import { minutesBetween } from './time-units.ts'
import { startsIn } from './trace-search.ts'

interface Gap {
  call: Span
  targetName: string
  minute: number
  ns: number
}

export function callGaps(spans: Span[], window: TimeWindow, oneTraceIn: number, perMinute: number): CallGaps[] {
  const { startNs, endNs } = window
  const drawn = spans.filter(({ traceId }) => isDrawn(traceId, oneTraceIn))
  const near = drawn.filter((span) => startsIn(span, { startNs, endNs: endNs + NS_PER_HOUR }))
  const below = groupedBy(near, ({ traceId, parentSpanId }) => spanKey(traceId, parentSpanId))
  const firstNs = minutesOf(window).startNs
  const gaps = near
    .filter((span) => span.kind === 'CLIENT' && startsIn(span, window))
    .flatMap((call) => gapsOf(call, below.get(spanKey(call.traceId, call.spanId)) ?? [], firstNs))
  const ways = groupedBy(gaps, ({ call, targetName }) => JSON.stringify([call.serviceName, targetName]))
  return [...ways.values()].map((own) => {
    const { call, targetName } = own[0] as Gap
    const byMinute = groupedBy(own, ({ minute }) => minute)
    const told = [...byMinute.values()]
      .flatMap((some) => drawnByLot(some, perMinute))
      .toSorted((a, b) => a.minute - b.minute || a.ns - b.ns)
    return {
      sourceName: call.serviceName,
      targetName,
      gapsNs: Float64Array.from(told, ({ ns }) => ns),
      minutes: Uint32Array.from(told, ({ minute }) => minute),
      traceId: longestOfLast(own, Math.max(...byMinute.keys())).call.traceId,
    }
  })
}

function drawnByLot(gaps: Gap[], limit: number): Gap[] {
  const lotOf = ({ call }: Gap) => fnv1a(call.traceId + call.spanId)
  return gaps.toSorted((a, b) => ascending(lotOf(a), lotOf(b))).slice(0, limit)
}

function longestOfLast(gaps: Gap[], lastMinute: number): Gap {
  const newest = gaps.filter(({ minute }) => minute >= lastMinute - 1)
  return newest.toSorted((a, b) => b.ns - a.ns || ascending(a.call.traceId, b.call.traceId))[0] as Gap
}

/** One for each service that answered. */
function gapsOf(call: Span, children: Span[], firstNs: bigint): Gap[] {
  const answers = children.filter(({ serviceName, kind }) => serviceName !== call.serviceName && kind !== 'CONSUMER')
  return [...groupedBy(answers, ({ serviceName }) => serviceName)].map(([targetName, own]) => {
    const longestNs = own.reduce((most, { durationNs }) => (durationNs > most ? durationNs : most), 0n)
    const ns = Math.max(0, Number(call.durationNs - longestNs))
    return { call, targetName, minute: minutesBetween(firstNs, call.startNs), ns }
  })
}
