import type { ApdexThresholds } from '../../domain/apdex.ts'
import type { Span } from '../../domain/span.ts'
import { minutesOf, type TimeWindow } from '../../domain/time-window.ts'
import type { DiagnosticsReader, RequestKey, ServiceSpans } from '../diagnostics-reader.ts'
import { ascending } from './ascending.ts'
import { callGaps } from './call-gaps.ts'
import { edgeMinutes, edgesOf } from './edges.ts'
import { failuresIn } from './failures-in.ts'
import type { GridRows } from './grid-rows.ts'
import { groupedBy } from './grouped-by.ts'
import { hourVersions } from './hour-versions.ts'
import { logCounts } from './log-counts.ts'
import { metricNames, pointsIn } from './metric-questions.ts'
import { edgeSeries, requestSeries } from './minute-series.ts'
import { requestGroups } from './request-groups.ts'
import { resourceActivity } from './resource-activity.ts'
import { sampleSpans, spansOfTraces, wholeSpans } from './span-samples.ts'
import { sampleLogs, spanShapes } from './span-shapes.ts'
import { startsIn } from './trace-search.ts'

/** Everything is judged by the present thresholds, whenever it came. */
export function createDiagnosticsAnswers(rows: () => GridRows, thresholds: () => ApdexThresholds): DiagnosticsReader {
  const spans = (): Span[] => [...rows().spans.values()]
  return {
    async requests(question) {
      return requestGroups(rows(), question, thresholds())
    },
    async edges(window) {
      return edgesOf(rows(), window)
    },
    async requestSeries(window, by, limit) {
      const keys: RequestKey[] = by === 'service' ? ['service', 'minute'] : ['service', 'operation', 'minute']
      return requestSeries(requestGroups(rows(), { window, by: keys, latencies: false }, thresholds()), window, limit)
    },
    async edgeSeries(window, limit) {
      return edgeSeries(edgeMinutes(rows(), window, true), window, limit)
    },
    async serviceSpans(window) {
      return serviceSpans(spans(), window)
    },
    async resourceActivity(window) {
      return resourceActivity(rows(), window)
    },
    async failures(window, serviceName, limit) {
      return structuredClone(failuresIn(spans(), window, serviceName, limit))
    },
    async sampleSpans(window, filter, limit) {
      return structuredClone(sampleSpans(spans(), window, filter, limit))
    },
    async spansOfTraces(traceIds, window, limit) {
      return structuredClone(spansOfTraces(spans(), traceIds, window, limit))
    },
    async wholeSpans(places) {
      return structuredClone(wholeSpans(spans(), places))
    },
    async logCounts(window) {
      return logCounts([...rows().logs.values()], window)
    },
    async drawnTraces(window, oneTraceIn, { shapesMax, gapsPerMinute }) {
      return {
        startNs: minutesOf(window).startNs,
        shapes: spanShapes(spans(), window, oneTraceIn, shapesMax),
        gaps: callGaps(spans(), window, oneTraceIn, gapsPerMinute),
      }
    },
    async sampleLogs(window, oneTraceIn, limit) {
      return sampleLogs(rows(), window, oneTraceIn, limit)
    },
    async pointsOf(names, window, limit) {
      const own = pointsIn([...rows().points.values()], names, window)
      return structuredClone(own.slice(Math.max(0, own.length - limit)))
    },
    async metricNames(window) {
      return metricNames([...rows().points.values()], window)
    },
    async firstSpanNs() {
      return spans()
        .map((span) => span.startNs)
        .toSorted(ascending)[0]
    },
    async hourVersions() {
      return hourVersions(rows())
    },
  }
}

function serviceSpans(spans: Span[], window: TimeWindow): ServiceSpans[] {
  const own = spans.filter((span) => startsIn(span, window))
  return [...groupedBy(own, ({ serviceName, kind }) => JSON.stringify([serviceName, kind])).values()].map((group) => {
    const { serviceName, kind } = group[0] as Span
    return { serviceName, kind, spanCount: group.length }
  })
}
