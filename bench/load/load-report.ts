import type { ServiceShare } from './span-generator.ts'

export interface SpanIds {
  traceId: string
  spanId: string
}

/** What a load process saw. */
export interface LoadReport {
  acknowledgedSpans: number
  seconds: number
  /** From when a request was due to its acknowledgement, refusals and retries included. */
  latencyMs: { p50: number; p99: number; max: number }
  /** The longest time without any acknowledgement while one was awaited. */
  longestStallMs: number
  /** Answers 429 and 503. */
  refusals: number
  /** Requests whose connection broke. */
  brokenRequests: number
  /** Spans that a partial success counted as rejected, or any other answer but success. */
  unexpectedAnswers: string[]
  /** Of the load process itself. */
  cpuUsPerSpan: number
  bytesPerSpan: number
  services: ServiceShare[]
  /** Some of the acknowledged spans, evenly chosen. */
  sample: SpanIds[]
}
