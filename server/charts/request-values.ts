import { figuresOf } from '../diagnostics/request-figures.ts'
import { rounded, roundedRate } from '../diagnostics/rounding.ts'
import type { RequestMetric } from '../domain/chart.ts'
import type { RequestStep } from '../storage/chart-reader.ts'

/** What a metric is in a step that has requests and lasted so many seconds. */
export const requestValues: Record<RequestMetric, (step: RequestStep, seconds: number) => number> = {
  latency_avg: (step) => rounded(figuresOf(step).avgLatencyMs),
  latency_p50: ({ p50Ms }) => rounded(p50Ms),
  latency_p95: ({ p95Ms }) => rounded(p95Ms),
  latency_p99: ({ p99Ms }) => rounded(p99Ms),
  error_rate: (step) => rounded(figuresOf(step).errorRate),
  throughput: ({ requestCount }, seconds) => roundedRate(requestCount / seconds),
  apdex: (step) => rounded(figuresOf(step).apdex),
}
