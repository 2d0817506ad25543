import { type SpanKind, type SpanStatus, spanKindOf, spanStatusOf } from '../../../domain/span.ts'
import type { ChunkCells } from '../engine/chunk-cells.ts'

/** Selected behind `trace_id`, as the first columns. */
export const SUMMARY = 'span_id, parent_id, start_ns, duration_ns, kind, status'
const NO_PARENT = '0'.repeat(16)

/** What those columns tell, each by row: objects that are copied into others take longer than all else. */
export interface SummaryCells {
  traceId: (row: number) => string
  spanId: (row: number) => string
  parentSpanId: (row: number) => string
  startNs: (row: number) => bigint
  durationNs: (row: number) => bigint
  kind: (row: number) => SpanKind
  status: (row: number) => SpanStatus
}

export function summaryCells(cells: ChunkCells): SummaryCells {
  const parentId = cells.ids(2)
  const [startNs, durationNs] = [cells.bigints(3), cells.bigints(4)]
  const [kind, status] = [cells.bytes(5), cells.bytes(6)]
  return {
    traceId: cells.uuids(0),
    spanId: cells.ids(1),
    parentSpanId(row) {
      const id = parentId(row)
      return id === NO_PARENT ? '' : id
    },
    startNs: (row) => startNs[row] as bigint,
    durationNs: (row) => durationNs[row] as bigint,
    kind: (row) => spanKindOf(kind[row] as number),
    status: (row) => spanStatusOf(status[row] as number),
  }
}
