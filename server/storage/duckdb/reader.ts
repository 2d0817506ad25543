import type { TimeWindow } from '../../domain/time-window.ts'
import type { TelemetryReader } from '../telemetry-store.ts'
import { unansweredYet } from '../unanswered-yet.ts'
import { traceFilterOptions } from './filter-options.ts'
import { logsInWindow, traceLogs } from './log-questions.ts'
import { metricPoints } from './metric-questions.ts'
import type { Scope } from './scope.ts'
import { findSpan, traceErrorSpans, traceSpans } from './trace-questions.ts'
import { searchTraces } from './trace-search.ts'

/** Runs a question over the files of the reader's Grid, all of them or those of a window. */
export type Ask = <T>(window: TimeWindow | undefined, question: (scope: Scope) => Promise<T>) => Promise<T>

export function createReader(ask: Ask): TelemetryReader {
  return {
    span: (spanId) => ask(undefined, (scope) => findSpan(scope, spanId)),
    traceSpans: (traceId, limit) => ask(undefined, (scope) => traceSpans(scope, traceId, limit)),
    traceErrorSpans: (traceId, limit) => ask(undefined, (scope) => traceErrorSpans(scope, traceId, limit)),
    traceLogs: (traceId, limit) => ask(undefined, (scope) => traceLogs(scope, traceId, limit)),
    searchTraces: (filter) => ask(filter.window, (scope) => searchTraces(scope, filter)),
    traceFilterOptions: (limit) => ask(undefined, (scope) => traceFilterOptions(scope, limit)),
    ...unansweredYet(),
    logs: (window, limit) => ask(window, (scope) => logsInWindow(scope, window, limit)),
    metricPoints: (name, window, limit) => ask(window, (scope) => metricPoints(scope, name, window, limit)),
  }
}
