import type { ApdexThresholds } from '../../domain/apdex.ts'
import type { LogRecord } from '../../domain/log-record.ts'
import type { Span } from '../../domain/span.ts'
import type { TelemetryReader } from '../telemetry-store.ts'
import { ascending } from './ascending.ts'
import { createChartAnswers } from './chart-answers.ts'
import { createDiagnosticsAnswers } from './diagnostics-answers.ts'
import { traceFilterOptions } from './filter-options.ts'
import type { GridRows } from './grid-rows.ts'
import { logPatterns, newestOfPatterns } from './log-patterns.ts'
import { byTime, firstLogOfSpan, logFilterOptions, searchLogs } from './log-search.ts'
import { pointsIn } from './metric-questions.ts'
import { byStart, inTraceOrder, summaryOf } from './trace-order.ts'
import { searchTraces } from './trace-search.ts'

/** `rows` gives the Grid's rows as they are when a question is asked, or throws. Answers are copies. */
export function createMemoryReader(rows: () => GridRows, thresholds: () => ApdexThresholds): TelemetryReader {
  const spans = (): Span[] => [...rows().spans.values()]
  const logs = (): LogRecord[] => [...rows().logs.values()]
  return {
    ...createDiagnosticsAnswers(rows, thresholds),
    ...createChartAnswers(rows, thresholds),
    async span(spanId) {
      const newestFirst = spans()
        .filter((span) => span.spanId === spanId)
        .toSorted((a, b) => ascending(b.startNs, a.startNs) || ascending(a.traceId, b.traceId))
      return structuredClone(newestFirst[0])
    },
    async traceSpans(traceId, limit) {
      const trace = inTraceOrder(spans().filter((span) => span.traceId === traceId))
      return { spans: trace.slice(0, limit).map(summaryOf), totalCount: trace.length }
    },
    async traceErrorSpans(traceId, limit) {
      const failed = spans().filter((span) => span.traceId === traceId && (span.status === 'ERROR' || threw(span)))
      return structuredClone(failed.toSorted(byStart).slice(0, limit))
    },
    async traceLogs(traceId, limit) {
      const own = logs().filter((log) => log.traceId === traceId)
      return structuredClone(own.toSorted(byTime).slice(0, limit))
    },
    async searchTraces(filter) {
      return searchTraces(spans(), filter)
    },
    async traceFilterOptions(limit) {
      return traceFilterOptions(spans(), limit)
    },
    async searchLogs(filter, portion) {
      return searchLogs(logs(), filter, portion)
    },
    async log(id) {
      return structuredClone(rows().logs.get(id))
    },
    async firstLogOfSpan(spanId) {
      return structuredClone(firstLogOfSpan(logs(), spanId))
    },
    async logPatterns(filter, limit) {
      return logPatterns(logs(), filter).slice(0, limit)
    },
    async newestOfPatterns(filter, patterns) {
      return newestOfPatterns(logs(), filter, patterns)
    },
    async logFilterOptions(limit) {
      return logFilterOptions(logs(), limit)
    },
    async logs({ startNs, endNs }, limit) {
      const own = logs().filter((log) => startNs <= log.timeNs && log.timeNs < endNs)
      return structuredClone(own.toSorted(byTime).slice(0, limit))
    },
    async metricPoints(name, window, limit) {
      return structuredClone(pointsIn([...rows().points.values()], [name], window).slice(0, limit))
    },
  }
}

function threw(span: Span): boolean {
  return span.events.some((event) => event.name === 'exception')
}
