import type { RequestGroup } from '../../storage/diagnostics-reader.ts'

export const MINUTE_NS = 60_000_000_000n

/** The requests of a service that began in one minute. */
export type RequestMinute = Pick<
  RequestGroup,
  'serviceName' | 'minuteNs' | 'requestCount' | 'errorCount' | 'durationNsSum'
>

/** The start of the run of minutes up to a moment in which a service failed at least half as often as in that one's minute. */
export function steadyErrorsSince(requests: readonly RequestMinute[], serviceName: string, atNs: bigint): bigint {
  const errors = new Map<bigint, number>()
  for (const row of requests)
    if (row.serviceName === serviceName) errors.set(row.minuteNs, (errors.get(row.minuteNs) ?? 0) + row.errorCount)
  let minuteNs = atNs - (atNs % MINUTE_NS)
  const usual = Math.max(errors.get(minuteNs) ?? 0, errors.get(minuteNs + MINUTE_NS) ?? 0)
  let sinceNs = atNs
  while (usual > 0 && (errors.get(minuteNs - MINUTE_NS) ?? 0) >= usual / 2) {
    minuteNs -= MINUTE_NS
    sinceNs = minuteNs
  }
  return sinceNs
}
