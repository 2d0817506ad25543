import type { Attributes } from '@opentelemetry/api'
import type { Histogram } from '@opentelemetry/sdk-metrics'

/** Upper bounds in seconds that the semantic conventions advise for request durations. */
const DURATION_BOUNDS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]

export interface DurationSeries {
  readonly attributes: Attributes
  readonly counts: number[]
  count: number
  sum: number
  min: number
  max: number
}

/** What an instance counts as it works, cumulative from its start. */
export class InstanceMeasures {
  readonly http = new Map<string, DurationSeries>()
  readonly rpc = new Map<string, DurationSeries>()
  activeRequests = 0
  requests = 0
  rejected = 0

  record(series: Map<string, DurationSeries>, key: string, seconds: number, attributes: () => Attributes): void {
    let entry = series.get(key)
    if (entry === undefined) {
      const counts = new Array<number>(DURATION_BOUNDS_SECONDS.length + 1).fill(0)
      entry = { attributes: attributes(), counts, count: 0, sum: 0, min: seconds, max: seconds }
      series.set(key, entry)
    }
    const bucket = DURATION_BOUNDS_SECONDS.findIndex((bound) => seconds <= bound)
    const index = bucket === -1 ? DURATION_BOUNDS_SECONDS.length : bucket
    entry.counts[index] = (entry.counts[index] ?? 0) + 1
    entry.count += 1
    entry.sum += seconds
    entry.min = Math.min(entry.min, seconds)
    entry.max = Math.max(entry.max, seconds)
  }
}

export function histogramOf(series: DurationSeries): Histogram {
  return {
    buckets: { boundaries: DURATION_BOUNDS_SECONDS, counts: [...series.counts] },
    sum: series.sum,
    count: series.count,
    min: series.min,
    max: series.max,
  }
}
