import { LogColumns } from '../domain/columns/log-columns.ts'
import { SpanColumns } from '../domain/columns/span-columns.ts'
import type { TelemetryWriter } from '../storage/telemetry-store.ts'
import type { ExportOutcome, ExportRequest, Ingest } from './ingest.ts'
import { decodeLogs } from './otlp/decode-logs.ts'
import { decodeMetrics } from './otlp/decode-metrics.ts'
import { decodeTraces } from './otlp/decode-traces.ts'
import { protobufOfJson } from './otlp/json/protobuf-of-json.ts'
import { createRedactor, type Redactor } from './otlp/privacy/redactor.ts'

/** Columns that one huge request has stretched are not kept. */
const KEPT_COLUMN_BYTES_MAX = 32 * 1024 * 1024

/** Decodes requests straight into a store. One set of columns serves many requests, since a store copies what it is given. */
export function createStoreIngest(store: TelemetryWriter, clock: () => number): Ingest {
  let spans = new SpanColumns()
  let logs = new LogColumns()
  /** Of the Grids that have rules. */
  const redactors = new Map<string, Redactor>()

  function take(request: ExportRequest): { outcome: ExportOutcome; durable: Promise<void> | undefined } {
    const { gridId, signal, oldestNs, newestNs } = request
    const limits = { oldestNs, newestNs, nowNs: BigInt(clock()) * 1_000_000n }
    const sent = request.encoding === 'json' ? protobufOfJson(signal, request.body) : request.body
    const body = redactors.get(gridId)?.redacted(signal, sent) ?? sent
    if (signal === 'traces') {
      const outcome = decodeTraces(body, limits, spans)
      return { outcome, durable: spans.length > 0 ? store.writeSpans(gridId, spans) : undefined }
    }
    if (signal === 'logs') {
      const outcome = decodeLogs(body, limits, logs)
      return { outcome, durable: logs.length > 0 ? store.writeLogs(gridId, logs) : undefined }
    }
    const { points, outcome } = decodeMetrics(body, limits)
    return { outcome, durable: points.length > 0 ? store.writeMetrics(gridId, points) : undefined }
  }

  return {
    async export(request) {
      const { outcome, durable } = take(request)
      if (spans.byteLength > KEPT_COLUMN_BYTES_MAX) spans = new SpanColumns()
      if (logs.byteLength > KEPT_COLUMN_BYTES_MAX) logs = new LogColumns()
      await durable
      return outcome
    },
    async setPrivacy(gridId, policy) {
      const redactor = createRedactor(policy)
      if (redactor) redactors.set(gridId, redactor)
      else redactors.delete(gridId)
    },
  }
}
