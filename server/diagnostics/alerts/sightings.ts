import type { ServiceSeries } from './service-series.ts'

const MS_PER_MINUTE = 60_000
/** What is at most so old when it is first seen was sent as it happened. */
const FRESH_MINUTES = 5
/** What is older than this when it comes is of the past, and that nothing followed it says nothing of the present. */
const LATE_MINUTES_MAX = 10

/** When a service was last heard of, as one look has it. */
export interface Sighting {
  lastMinute: number
  /** Whether its silence would mean something: it was heard live, and not in telemetry that is being brought in. */
  live: boolean
}

/**
 * Tells a service that fell silent from one whose past was imported. What comes late is taken for live once it is not
 * too old and a second look finds nothing more. The first look of a process judges by when its predecessor last looked.
 */
export function sightingsOf(
  series: Map<string, ServiceSeries>,
  previous: ReadonlyMap<string, Sighting>,
  asOfMs: number,
): Map<string, Sighting> {
  const asOfMinute = Math.floor(asOfMs / MS_PER_MINUTE)
  return new Map(
    [...series].map(([serviceName, each]) => {
      const lastMinute = lastMinuteOf(each)
      const age = asOfMinute - lastMinute
      const before = previous.get(serviceName)
      const unchanged = before?.lastMinute === lastMinute
      const live = age <= FRESH_MINUTES || (unchanged && (before.live || age <= LATE_MINUTES_MAX))
      return [serviceName, { lastMinute, live }]
    }),
  )
}

function lastMinuteOf({ requests, logErrors, metrics }: ServiceSeries): number {
  const points = [...metrics.values()].flat().flatMap(({ minutes }) => [...minutes.keys()])
  return [...requests.keys(), ...logErrors.keys(), ...points].reduce((last, minute) => Math.max(last, minute), 0)
}
