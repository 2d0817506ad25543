import { FailureTable } from '../../domain/failure-table.ts'
import { type Failures, failureOf, SAMPLES_MAX } from '../../domain/failures.ts'
import { SPAN_KINDS, type Span } from '../../domain/span.ts'
import type { TimeWindow } from '../../domain/time-window.ts'
import { startsIn } from './trace-search.ts'

export function failuresIn(
  spans: Span[],
  window: TimeWindow,
  serviceName: string | undefined,
  limit: number,
): Failures {
  const failed = spans.filter(
    (span) =>
      span.status === 'ERROR' &&
      startsIn(span, window) &&
      (serviceName === undefined || span.serviceName === serviceName),
  )
  return failuresOf(failed, window, limit)
}

/** Failed spans as columns. */
export function failuresOf(spans: Span[], { startNs }: Pick<TimeWindow, 'startNs'>, limit = spans.length): Failures {
  const table = new FailureTable()
  const [traces, ids] = [new Map<string, number>(), new Map<string, number>()]
  const tellings = new Map<string, { place: number; samples: string[][] }>()
  for (const span of spans) {
    const { telling, values } = failureOf(span)
    const text = JSON.stringify(telling)
    const known = tellings.get(text) ?? { place: -1, samples: [] }
    if (known.place < 0) known.place = table.tell({ ...telling, samples: known.samples })
    tellings.set(text, known)
    if (known.samples.length < SAMPLES_MAX) known.samples.push(values)
    table.add({
      trace: numberOf(traces, span.traceId),
      span: numberOf(ids, span.spanId),
      parent: span.parentSpanId === '' ? 0 : numberOf(ids, span.parentSpanId),
      startNs: Number(span.startNs - startNs),
      durationNs: Number(span.durationNs),
      kind: SPAN_KINDS.indexOf(span.kind),
      service: table.name(span.serviceName),
      operation: table.name(span.operationName),
      told: known.place,
    })
  }
  return table.newest(limit)
}

/** From 1 on, in the order in which they come. */
function numberOf(numbers: Map<string, number>, id: string): number {
  const known = numbers.get(id) ?? numbers.size + 1
  numbers.set(id, known)
  return known
}
