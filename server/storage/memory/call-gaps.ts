import type { Span } from '../../domain/span.ts'
import { NS_PER_HOUR, type TimeWindow } from '../../domain/time-window.ts'
import type { CallGaps } from '../diagnostics-reader.ts'
import { ascending } from './ascending.ts'
import { fnv1a } from './fnv1a.ts'
import { spanKey } from './grid-rows.ts'
import { groupedBy } from './grouped-by.ts'
import { isDrawn } from './span-shapes.ts'
import { minuteOf } from './time-units.ts'
import { startsIn } from './trace-search.ts'

interface Gap {
  call: Span
  targetName: string
  ns: number
}

export function callGaps(spans: Span[], window: TimeWindow, oneTraceIn: number, perMinute: number): CallGaps[] {
  const { startNs, endNs } = window
  const drawn = spans.filter(({ traceId }) => isDrawn(traceId, oneTraceIn))
  const near = drawn.filter((span) => startsIn(span, { startNs, endNs: endNs + NS_PER_HOUR }))
  const below = groupedBy(near, ({ traceId, parentSpanId }) => spanKey(traceId, parentSpanId))
  const gaps = near
    .filter((span) => span.kind === 'CLIENT' && startsIn(span, window))
    .flatMap((call) => gapsOf(call, below.get(spanKey(call.traceId, call.spanId)) ?? []))
  const groups = groupedBy(gaps, ({ call, targetName }) =>
    JSON.stringify([call.serviceName, targetName, String(minuteOf(call.startNs))]),
  )
  return [...groups.values()].map((own) => {
    const { call, targetName } = own[0] as Gap
    const longest = own.toSorted((a, b) => b.ns - a.ns || ascending(a.call.traceId, b.call.traceId))[0] as Gap
    const byLot = own.length <= perMinute ? own : own.toSorted((a, b) => ascending(lotOf(a), lotOf(b)))
    return {
      sourceName: call.serviceName,
      targetName,
      minuteNs: minuteOf(call.startNs),
      callCount: own.length,
      gapsNs: byLot
        .slice(0, perMinute)
        .map(({ ns }) => ns)
        .toSorted(ascending),
      traceId: longest.call.traceId,
    }
  })
}

function lotOf({ call }: Gap): number {
  return fnv1a(call.traceId + call.spanId)
}

/** One for each service that answered. */
function gapsOf(call: Span, children: Span[]): Gap[] {
  const answers = children.filter(({ serviceName, kind }) => serviceName !== call.serviceName && kind !== 'CONSUMER')
  return [...groupedBy(answers, ({ serviceName }) => serviceName)].map(([targetName, own]) => {
    const longestNs = own.reduce((most, { durationNs }) => (durationNs > most ? durationNs : most), 0n)
    return { call, targetName, ns: Math.max(0, Number(call.durationNs - longestNs)) }
  })
}
