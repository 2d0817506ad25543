import { type SpanSummary, spanKindOf, spanStatusOf } from '../../../domain/span.ts'
import type { ChunkCells } from '../engine/chunk-cells.ts'

/** Selected behind `trace_id`, as the first columns. */
export const SUMMARY = 'span_id, parent_id, start_ns, duration_ns, kind, status'
const NO_PARENT = '0'.repeat(16)

/** What those columns tell of a span. */
export function summaryCells(cells: ChunkCells): (row: number) => Omit<SpanSummary, 'serviceName' | 'operationName'> {
  const [traceId, spanId, parentId] = [cells.uuids(0), cells.ids(1), cells.ids(2)]
  const [startNs, durationNs] = [cells.bigints(3), cells.bigints(4)]
  const [kind, status] = [cells.bytes(5), cells.bytes(6)]
  return (row) => {
    const parentSpanId = parentId(row)
    return {
      traceId: traceId(row),
      spanId: spanId(row),
      parentSpanId: parentSpanId === NO_PARENT ? '' : parentSpanId,
      kind: spanKindOf(kind[row] as number),
      status: spanStatusOf(status[row] as number),
      startNs: startNs[row] as bigint,
      durationNs: durationNs[row] as bigint,
    }
  }
}
