import type { Attributes, AttributeValue } from '../../domain/attributes.ts'
import type { Span } from '../../domain/span.ts'
import type { TimeWindow } from '../../domain/time-window.ts'
import type { ResourceActivities } from '../diagnostics-reader.ts'
import { ascending } from './ascending.ts'
import type { GridRows } from './grid-rows.ts'
import { groupedBy } from './grouped-by.ts'
import { requestSpans } from './request-spans.ts'
import { minuteOf } from './time-units.ts'
import { startsIn } from './trace-search.ts'

export function resourceActivity({ spans }: GridRows, window: TimeWindow): ResourceActivities {
  const own = [...spans.values()].filter((span) => startsIn(span, window))
  const requests = new Set(requestSpans(spans, window))
  const resources = groupedBy(own, ({ resource }) => textOf(resource))
  const indexes = new Map([...resources.values()].flatMap((group, index) => group.map((span) => [span, index])))
  const rowKey = (span: Span) => `${minuteOf(span.startNs)} ${indexes.get(span)} ${span.serviceName}`
  const rows = [...groupedBy(own, rowKey).values()].map((group) => {
    const first = group[0] as Span
    const { serviceName, startNs } = first
    const asked = group.filter((span) => requests.has(span))
    return {
      serviceName,
      resourceIndex: indexes.get(first) ?? 0,
      minuteNs: minuteOf(startNs),
      spanCount: group.length,
      requestCount: asked.length,
      errorCount: asked.filter((span) => span.status === 'ERROR').length,
      durationNsSum: asked.reduce((sum, span) => sum + span.durationNs, 0n),
    }
  })
  return {
    resources: [...resources.values()].map((group) => structuredClone((group[0] as Span).resource)),
    rows: rows.toSorted((a, b) => ascending(a.minuteNs, b.minuteNs)),
  }
}

/** Spans of one origin share their resource, so that its text is written once. */
const texts = new WeakMap<Attributes, string>()

function textOf(resource: Attributes): string {
  const text = texts.get(resource) ?? canonicalText(resource)
  texts.set(resource, text)
  return text
}

/** Equal for equal values, in whatever order their keys were sent. */
function canonicalText(value: AttributeValue): string {
  return JSON.stringify(value, (_key, part: AttributeValue) => {
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part
    return Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => ascending(a, b)))
  })
}
