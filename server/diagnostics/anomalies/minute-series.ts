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

/** Minutes of a service in a row, empty ones too, from a minute on. */
export class MinuteTable {
  private readonly start: number
  private readonly minutes: MinuteSums[] = []
  private readonly known: boolean[] = []
  /** What was before each minute, so that any stretch is summed up at once. */
  private readonly totals: (MinuteSums & { known: number })[] = [{ ...NOTHING, known: 0 }]

  /** `isKnown` tells minutes of which anything is known: in the others nobody sent anything. */
  constructor(series: MinuteSeries, start: number, end: number, isKnown: (minute: number) => boolean) {
    this.start = start
    for (let minute = start; minute < end; minute++) {
      const sums = series.get(minute) ?? NOTHING
      const total = this.totals[minute - start] as MinuteSums & { known: number }
      this.minutes.push(sums)
      this.known.push(isKnown(minute))
      this.totals.push({ ...sumOf([total, sums]), known: total.known + (isKnown(minute) ? 1 : 0) })
    }
  }

  at(minute: number): MinuteSums {
    return this.minutes[minute - this.start] ?? NOTHING
  }

  isKnown(minute: number): boolean {
    return this.known[minute - this.start] ?? false
  }

  /** Everything from a minute up to, and without, another one, and how many minutes of it are known. */
  between(from: number, to: number): { sums: MinuteSums; minutes: number } {
    const before = this.totals[Math.max(0, from - this.start)] ?? { ...NOTHING, known: 0 }
    const after = this.totals[Math.max(0, to - this.start)] ?? { ...NOTHING, known: 0 }
    return {
      minutes: after.known - before.known,
      sums: {
        requests: after.requests - before.requests,
        errors: after.errors - before.errors,
        durationMs: after.durationMs - before.durationMs,
      },
    }
  }
}

export function sumOf(minutes: MinuteSums[]): MinuteSums {
  const sum = { ...NOTHING }
  for (const { requests, errors, durationMs } of minutes) {
    sum.requests += requests
    sum.errors += errors
    sum.durationMs += durationMs
  }
  return sum
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
