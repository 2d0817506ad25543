import type { MinuteFigures } from '../../storage/diagnostics-reader.ts'

export const MINUTE_NS = 60_000_000_000n

/** Requests, or calls, that began in one minute. */
export interface MinuteSums {
  minuteNs: bigint
  requestCount: number
  errorCount: number
  durationMs: number
}

/** The requests of a service that began in one minute. */
export interface RequestMinute extends MinuteSums {
  serviceName: string
}

/** The minutes of a series that have requests. The series begins with the minute of `startNs`. */
export function minutesOfSeries({ requests, errors, durationMs }: MinuteFigures, startNs: bigint): MinuteSums[] {
  const firstNs = startNs - (startNs % MINUTE_NS)
  return Array.from(requests, (requestCount, minute) => ({
    minuteNs: firstNs + BigInt(minute) * MINUTE_NS,
    requestCount,
    errorCount: errors[minute] ?? 0,
    durationMs: durationMs[minute] ?? 0,
  })).filter(({ requestCount }) => requestCount > 0)
}

/**
 * About when a service began to fail as it does at a moment: behind the last minute in which it failed less than half as
 * often. How often it did so in that minute tells how early in it this began.
 */
export function steadyErrorsSince(requests: readonly RequestMinute[], serviceName: string, atNs: bigint): bigint {
  const errors = errorsByMinute(requests, serviceName)
  let minuteNs = atNs - (atNs % MINUTE_NS)
  const usual = Math.max(errors.get(minuteNs) ?? 0, errors.get(minuteNs + MINUTE_NS) ?? 0)
  if (usual === 0) return atNs
  while ((errors.get(minuteNs) ?? 0) >= usual / 2) minuteNs -= MINUTE_NS
  const share = (errors.get(minuteNs) ?? 0) / usual
  const beganNs = minuteNs + MINUTE_NS - BigInt(Math.round(share * Number(MINUTE_NS)))
  return beganNs < atNs ? beganNs : atNs
}

function errorsByMinute(requests: readonly RequestMinute[], serviceName: string): Map<bigint, number> {
  const errors = new Map<bigint, number>()
  for (const row of requests)
    if (row.serviceName === serviceName) errors.set(row.minuteNs, (errors.get(row.minuteNs) ?? 0) + row.errorCount)
  return errors
}
