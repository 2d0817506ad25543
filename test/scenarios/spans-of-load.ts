import { SeededRandom } from '../../server/storage/conformance/seeded-random.ts'
import { attributesOf, nanosecondsOf, type OtlpRecord, type Values } from './otlp-records.ts'
import { type Repetition, repetitionsOf } from './repeated-lines.ts'
import type { Load } from './scenario.ts'
import { type SpanLine, spanLineOf } from './span-line.ts'

const KINDS = ['', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER']

interface Placed extends SpanLine {
  indent: number
  traceId: string
  spanId: string
  parentSpanId: string
  startMs: number
  durationMs: number
}

/** The spans of a load. A line under another one is its child; a line without a parent begins a trace. */
export function spansOfLoad(load: Load, momentMs: number, seed: number): OtlpRecord[] {
  const random = new SeededRandom(seed)
  return repetitionsOf(load).flatMap((repetition) => {
    const spans = placedSpans(repetition, momentMs, random)
    const byId = new Map(spans.map((span) => [span.id, span]))
    return spans.map((span) => ({
      resource: { 'service.name': span.service, ...span.resource },
      record: spanRecord(span, byId, repetition),
      late: span.late,
    }))
  })
}

function placedSpans({ lines, atMs, number }: Repetition, momentMs: number, random: SeededRandom): Placed[] {
  const placed: Placed[] = []
  for (const line of lines) {
    const span = spanLineOf(line.text, number)
    const parent = placed.findLast(({ indent }) => indent < line.indent)
    placed.push({
      ...span,
      indent: line.indent,
      traceId: parent?.traceId ?? random.hex(32),
      spanId: random.hex(16),
      parentSpanId: span.orphan ? random.hex(16) : (parent?.spanId ?? ''),
      startMs: (parent?.startMs ?? momentMs + atMs) + span.offsetMs,
      durationMs: span.durationMs + (2 * random.fraction() - 1) * span.jitterMs,
    })
  }
  return placed
}

function spanRecord(span: Placed, byId: Map<string, Placed>, { number }: Repetition): object {
  const endMs = span.startMs + span.durationMs
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId,
    name: span.operation,
    kind: KINDS.indexOf(span.kind),
    startTimeUnixNano: nanosecondsOf(span.startMs),
    endTimeUnixNano: nanosecondsOf(endMs),
    attributes: attributesOf(span.attributes),
    status: span.fails ? { code: 2, message: span.message } : {},
    events: span.exception && span.fails ? [exceptionEvent(span.exception, endMs)] : [],
    links: span.links.map((id) => {
      const to = byId.get(id)
      if (!to) throw new Error(`no span has id=${id} in repetition ${number}`)
      return { traceId: to.traceId, spanId: to.spanId }
    }),
  }
}

function exceptionEvent(attributes: Values, ms: number): object {
  return { name: 'exception', timeUnixNano: nanosecondsOf(ms), attributes: attributesOf(attributes) }
}
