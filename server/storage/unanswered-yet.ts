import type { DiagnosticsReader } from './diagnostics-reader.ts'

/** Stands in for answers while they are being written. */
export function unansweredYet(): DiagnosticsReader {
  const fail = (): Promise<never> => Promise.reject(new Error('not answered yet'))
  return {
    requests: fail,
    edges: fail,
    serviceSpans: fail,
    resourceActivity: fail,
    errorSpans: fail,
    sampleSpans: fail,
    spansOfTraces: fail,
    logCounts: fail,
    pointsOf: fail,
    metricNames: fail,
    firstSpanNs: fail,
    hourVersions: fail,
  }
}
