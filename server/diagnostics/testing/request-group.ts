import { type Latencies, mergedLatencies } from '../../domain/latencies.ts'
import type { Edge, RequestGroup } from '../../storage/diagnostics-reader.ts'

/** Requests that took so long, of which the first so many failed; judged by the default Apdex threshold. */
export function groupOf(
  durationsMs: number[],
  { errorCount = 0, ...labels }: Partial<RequestGroup> = {},
): RequestGroup {
  const fine = durationsMs.slice(errorCount)
  return {
    serviceName: 'shop',
    operationName: 'GET /',
    kind: 'SERVER',
    minuteNs: 0n,
    requestCount: durationsMs.length,
    errorCount,
    durationNsSum: durationsMs.reduce((sum, ms) => sum + BigInt(Math.round(ms * 1e6)), 0n),
    satisfiedCount: fine.filter((ms) => ms <= 500).length,
    toleratingCount: fine.filter((ms) => ms > 500 && ms <= 2000).length,
    latencies: latenciesOf(durationsMs),
    ...labels,
  }
}

function latenciesOf(durationsMs: number[]): Latencies {
  const exactNs = durationsMs.map((ms) => Math.round(ms * 1e6)).sort((a, b) => a - b)
  return mergedLatencies([{ exactNs, buckets: [], counts: [] }])
}

/** 1 to `count` ms, each times `factor`. */
export function rising(count: number, factor = 1): number[] {
  return Array.from({ length: count }, (_, i) => (i + 1) * factor)
}

export function edgeOf(literal: Partial<Edge>): Edge {
  return {
    sourceName: 'shop',
    targetName: 'cart',
    targetIsService: true,
    kind: 'CLIENT',
    requestCount: 10,
    errorCount: 0,
    durationNsSum: 100_000_000n,
    unansweredErrorCount: 0,
    ...literal,
  }
}
