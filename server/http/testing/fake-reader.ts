import type { LogRecord } from '../../domain/log-record.ts'
import type { Span } from '../../domain/span.ts'
import type { TelemetryReader, TraceFilter } from '../../storage/telemetry-store.ts'

/** What a Grid holds, and what its reader was asked. */
export interface FakeTelemetry {
  spans: Span[]
  logs: LogRecord[]
  searches: TraceFilter[]
  /** Put instead of methods, to make them fail, wait or answer with something of one's own. */
  overrides: Partial<TelemetryReader>
}

export function createFakeTelemetry(): FakeTelemetry {
  return { spans: [], logs: [], searches: [], overrides: {} }
}

export function createFakeReader(telemetry: FakeTelemetry): TelemetryReader {
  const { spans, logs, searches } = telemetry
  const ofTrace = <T extends { traceId: string }>(rows: T[], traceId: string) =>
    rows.filter((row) => row.traceId === traceId)
  return {
    span: async (spanId) => spans.find((span) => span.spanId === spanId),
    traceSpans: async (traceId, limit) => ({
      spans: ofTrace(spans, traceId).slice(0, limit),
      totalCount: ofTrace(spans, traceId).length,
    }),
    traceErrorSpans: async (traceId) =>
      ofTrace(spans, traceId).filter(({ status, events }) => status === 'ERROR' || events.length > 0),
    traceLogs: async (traceId, limit) => ofTrace(logs, traceId).slice(0, limit),
    searchTraces: async (filter) => {
      searches.push(filter)
      return { items: spans.slice(filter.offset, filter.offset + filter.limit), totalCount: spans.length }
    },
    traceFilterOptions: async () => ({ serviceNames: [], operationNames: [], statusValues: [], tagKeys: [] }),
    serviceRequests: async () => [],
    unansweredCalls: async () => [],
    logs: async () => logs,
    metricPoints: async () => [],
    ...telemetry.overrides,
  }
}
