import type { RequestGroup } from '../../storage/diagnostics-reader.ts'
import { minuteOfNs } from '../changes/found-event.ts'

export interface MinuteSums {
  requests: number
  errors: number
  durationMs: number
}

/** Requests of a service minute by minute. Minutes without any are not there. */
export type MinuteSeries = Map<number, MinuteSums>

const NOTHING: MinuteSums = { requests: 0, errors: 0, durationMs: 0 }

/** By service, from requests told apart by service and minute. */
export function seriesByService(groups: RequestGroup[]): Map<string, MinuteSeries> {
  const services = new Map<string, MinuteSeries>()
  for (const { serviceName, minuteNs, requestCount, errorCount, durationNsSum } of groups) {
    const series = services.get(serviceName) ?? new Map()
    services.set(serviceName, series)
    const durationMs = Number(durationNsSum) / 1e6
    series.set(minuteOfNs(minuteNs), { requests: requestCount, errors: errorCount, durationMs })
  }
  return services
}

export function sumsAt(series: MinuteSeries, minute: number): MinuteSums {
  return series.get(minute) ?? NOTHING
}

export function sumOf(minutes: MinuteSums[]): MinuteSums {
  return minutes.reduce(
    (sum, each) => ({
      requests: sum.requests + each.requests,
      errors: sum.errors + each.errors,
      durationMs: sum.durationMs + each.durationMs,
    }),
    NOTHING,
  )
}

/** What a figure is in every run of so many neighbouring minutes. */
export function slidingFigures(
  minutes: MinuteSums[],
  length: number,
  figureOf: (minutes: MinuteSums[]) => number,
): number[] {
  const runs = Math.max(0, minutes.length - length + 1)
  return Array.from({ length: runs }, (_, start) => figureOf(minutes.slice(start, start + length)))
}

export function deviationOf(values: number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  return Math.sqrt(squares / Math.max(1, values.length - 1))
}
