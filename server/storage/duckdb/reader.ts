import type { ApdexThresholds } from '../../domain/apdex.ts'
import { NS_PER_HOUR, type TimeWindow } from '../../domain/time-window.ts'
import type { HourVersion, RequestQuestion } from '../diagnostics-reader.ts'
import type { TelemetryReader } from '../telemetry-store.ts'
import {
  resourceActivity,
  resourceActivityInMemory,
  serviceSpans,
  serviceSpansInMemory,
} from './figures/activity-questions.ts'
import { attributeRequests } from './figures/attribute-requests.ts'
import { allOrNothing, isOfDays } from './figures/day-rows.ts'
import { edgeSeries, edgeSeriesInMemory, edges, edgesInMemory } from './figures/edge-questions.ts'
import { type FirstSpan, firstSpanNs } from './figures/history-questions.ts'
import type { InMemory } from './figures/in-memory.ts'
import type { KeptSteps } from './figures/kept-steps.ts'
import {
  requestSeries,
  requestSeriesInMemory,
  requests,
  requestsInMemory,
  sealedSteps,
} from './figures/request-questions.ts'
import { requestSteps } from './figures/request-steps.ts'
import { dayBefore, type KnownServices } from './figures/services-known.ts'
import { logFilterOptions } from './logs/log-filter-options.ts'
import { logPatterns, newestOfPatterns } from './logs/log-patterns.ts'
import { logCounts, logsInWindow, traceLogs } from './logs/log-questions.ts'
import { findLog, firstLogOfSpan, searchLogs } from './logs/log-search.ts'
import { logSteps } from './logs/log-steps.ts'
import { metricNames, metricPoints, pointsOf } from './metrics/metric-questions.ts'
import { metricSteps, stepsWindow } from './metrics/metric-steps.ts'
import { metricTraits } from './metrics/metric-traits.ts'
import { sampleLogs } from './samples/drawn-logs.ts'
import { failures } from './samples/failure-questions.ts'
import { around, sampleSpans } from './samples/sample-questions.ts'
import { drawnTraces } from './samples/shape-questions.ts'
import { wholeSpans, windowAround } from './samples/spans-by-place.ts'
import { type AskedWindow, isWholeIn } from './scope/asked-files.ts'
import type { Scope } from './scope/scope.ts'
import { traceFilterOptions } from './traces/filter-options.ts'
import { findSpan } from './traces/span-by-id.ts'
import { spansOfTraces } from './traces/spans-of-traces.ts'
import { traceErrorSpans, traceSpans } from './traces/trace-questions.ts'
import { searchTraces } from './traces/trace-search.ts'

/** Runs a question over the files of the reader's Grid, all of them or those of a window. */
export type Ask = <T>(window: AskedWindow, question: (scope: Scope) => Promise<T>) => Promise<T>

/** What is known without asking the database. */
export interface GridFacts {
  gridId: string
  /** What charts were told before. */
  keptSteps: KeptSteps
  apdex(): ApdexThresholds
  /** Of hours that have records, ascending. */
  hourVersions(): HourVersion[]
  /** What was found last, if anything was. */
  firstSpan(): FirstSpan | undefined
  firstSpanFound(first: FirstSpan): void
}

/**
 * As far as a question about requests or calls looks: a day back for what services there are. `isOfDays` tells whether it is
 * content with what days are rolled up into.
 */
function remembered(window: TimeWindow, isOfDays = false): AskedWindow {
  const day = dayBefore(window)
  return {
    startNs: day.startNs < window.startNs ? day.startNs : around(window).startNs,
    endNs: day.endNs + NS_PER_HOUR,
    andAllOpen: true,
    ...(isOfDays && { rolled: { kind: 'requests', hours: allOrNothing(window, day) } }),
  }
}

const EVERY_HOUR = { kind: 'requests', hours: () => true } as const

export function createReader(ask: Ask, memory: InMemory, facts: GridFacts): TelemetryReader {
  const askRequests = async (question: RequestQuestion, given?: KnownServices) =>
    (await memory.answer(question.window, 'requests', (figures, known) =>
      requestsInMemory(figures, given ?? known, question, facts.apdex()),
    )) ??
    (await ask(remembered(question.window, isOfDays(question)), (scope) =>
      requests(scope, question, facts.apdex(), given),
    ))

  return {
    span: (spanId) => ask(undefined, (scope) => findSpan(scope, spanId)),
    traceSpans: (traceId, limit) => ask(undefined, (scope) => traceSpans(scope, traceId, limit)),
    traceErrorSpans: (traceId, limit) => ask(undefined, (scope) => traceErrorSpans(scope, traceId, limit)),
    traceLogs: (traceId, limit) => ask(undefined, (scope) => traceLogs(scope, traceId, limit)),
    searchTraces: (filter) => ask(filter.window, (scope) => searchTraces(scope, filter)),
    traceFilterOptions: (limit) => ask(undefined, (scope) => traceFilterOptions(scope, limit)),
    searchLogs: (filter, portion) => ask(filter.window, (scope) => searchLogs(scope, filter, portion)),
    log: (id) => ask(undefined, (scope) => findLog(scope, id)),
    firstLogOfSpan: (spanId) => ask(undefined, (scope) => firstLogOfSpan(scope, spanId)),
    logPatterns: (filter, limit) => ask(filter.window, (scope) => logPatterns(scope, filter, limit)),
    newestOfPatterns: (filter, patterns) => ask(filter.window, (scope) => newestOfPatterns(scope, filter, patterns)),
    logFilterOptions: (limit) => ask(undefined, (scope) => logFilterOptions(scope, limit)),
    requests: askRequests,
    edges: async (window) =>
      (await memory.answer(window, 'calls', (...known) => edgesInMemory(...known, window))) ??
      (await ask(remembered(window, true), (scope) => edges(scope, window))),
    requestSeries: async (window, by, limit) =>
      (await memory.answer(window, 'requests', (...known) =>
        requestSeriesInMemory(...known, { window, by, limit }, facts.apdex()),
      )) ?? (await ask(remembered(window), (scope) => requestSeries(scope, { window, by, limit }, facts.apdex()))),
    edgeSeries: async (window, limit) =>
      (await memory.answer(window, 'calls', (...known) => edgeSeriesInMemory(...known, window, limit))) ??
      (await ask(remembered(window), (scope) => edgeSeries(scope, window, limit))),
    serviceSpans: async (window) =>
      (await memory.answer(window, 'spans', (figures) => serviceSpansInMemory(figures, window))) ??
      (await ask({ ...window, rolled: { kind: 'requests', hours: isWholeIn(window) } }, (scope) =>
        serviceSpans(scope, window),
      )),
    resourceActivity: async (window) =>
      (await memory.answer(window, 'spans', (...known) => resourceActivityInMemory(...known, window))) ??
      (await ask(remembered(window), (scope) => resourceActivity(scope, window))),
    failures: (window, serviceName, limit) => ask(window, (scope) => failures(scope, window, serviceName, limit)),
    sampleSpans: (window, filter, limit) => ask(window, (scope) => sampleSpans(scope, window, filter, limit)),
    spansOfTraces: (traceIds, window, limit) =>
      ask(around(window), (scope) => spansOfTraces(scope, traceIds, around(window), limit)),
    wholeSpans: (places) => ask(windowAround(places), (scope) => wholeSpans(scope, places)),
    logCounts: (window) => ask(window, (scope) => logCounts(scope, window)),
    drawnTraces: (window, oneTraceIn, limits) =>
      ask(around(window), (scope) => drawnTraces(scope, window, oneTraceIn, limits)),
    sampleLogs: (window, oneTraceIn, limit) =>
      ask(around(window), (scope) => sampleLogs(scope, window, oneTraceIn, limit)),
    pointsOf: (names, window, limit) => ask(window, (scope) => pointsOf(scope, names, window, limit)),
    metricNames: (window) => ask(window, (scope) => metricNames(scope, window)),
    async firstSpanNs() {
      const known = facts.firstSpan()
      for (const { hourStartNs, version } of facts.hourVersions()) {
        if (known?.hourStartNs === hourStartNs && known.version === version) return known.firstNs
        const firstNs = await ask({ startNs: hourStartNs, endNs: hourStartNs + NS_PER_HOUR }, firstSpanNs)
        if (firstNs === undefined) continue
        facts.firstSpanFound({ hourStartNs, version, firstNs })
        return firstNs
      }
      return undefined
    },
    hourVersions: async () => facts.hourVersions(),
    logs: (window, limit) => ask(window, (scope) => logsInWindow(scope, window, limit)),
    metricPoints: (name, window, limit) => ask(window, (scope) => metricPoints(scope, name, window, limit)),
    requestSteps: (question) =>
      requestSteps(question, {
        kept: facts.keptSteps,
        hours: () => memory.hours(),
        known: (window) => memory.knownServices(window),
        ask: askRequests,
        askSealed: (sums, groupBy, known) =>
          ask({ ...sums.window, rolled: isOfDays(sums) ? EVERY_HOUR : undefined }, (scope) =>
            sealedSteps(scope, sums, groupBy, facts.apdex(), known),
          ),
        askSpans: () => ask(remembered(question.window), (scope) => attributeRequests(scope, question, facts.apdex())),
      }),
    logSteps: (question) => ask(question.window, (scope) => logSteps(scope, question)),
    metricTraits: (name, window) =>
      ask({ ...window, rolled: { kind: 'points', hours: isWholeIn(window) } }, (scope) =>
        metricTraits(scope, name, window),
      ),
    metricSteps: (question) => ask(stepsWindow(question), (scope) => metricSteps(scope, question)),
  }
}
