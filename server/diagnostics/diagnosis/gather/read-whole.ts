import type { Span, TraceSpan } from '../../../domain/span.ts'
import type { DiagnosticsReader } from '../../../storage/diagnostics-reader.ts'

export async function readWhole(reader: DiagnosticsReader, spans: TraceSpan[]): Promise<Span[]> {
  if (spans.length === 0) return []
  return await reader.wholeSpans(spans.map(({ traceId, spanId, startNs }) => ({ traceId, spanId, startNs })))
}
