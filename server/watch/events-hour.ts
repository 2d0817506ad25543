import { LOOK_BACK_MINUTES } from '../diagnostics/anomalies/service-anomalies.ts'
import type { HourOfTelemetry } from '../diagnostics/changes/events-of-hour.ts'
import { MS_PER_MINUTE } from '../diagnostics/changes/found-event.ts'
import { windowOfMs } from '../domain/time-window.ts'
import type { TelemetryReader } from '../storage/telemetry-store.ts'

export interface Hour {
  startMs: number
  version: string
  /** Since it was last looked through. */
  isChanged: boolean
}

const MS_PER_HOUR = 3_600_000

/**
 * The telemetry of an hour that has happened: clocks that are ahead send some that has not, which is left for later.
 * `isWhole` says that nothing was left.
 */
export async function readHour(
  reader: Pick<TelemetryReader, 'requests' | 'resourceActivity'>,
  { startMs }: Hour,
  { isLast, nowMs }: { isLast: boolean; nowMs: number },
): Promise<{ telemetry: HourOfTelemetry; isWhole: boolean }> {
  const endMs = startMs + MS_PER_HOUR
  const [{ resources, rows }, requests] = await Promise.all([
    reader.resourceActivity(windowOfMs(startMs, endMs)),
    reader.requests({
      window: windowOfMs(startMs - LOOK_BACK_MINUTES * MS_PER_MINUTE, endMs),
      by: ['service', 'minute'],
      latencies: false,
    }),
  ])
  const nowNs = BigInt(nowMs) * 1_000_000n
  const hasHappened = ({ minuteNs }: { minuteNs: bigint }) => minuteNs <= nowNs
  const past = rows.filter(hasHappened)
  return {
    isWhole: past.length === rows.length,
    telemetry: {
      start: startMs / MS_PER_MINUTE,
      end: endMs / MS_PER_MINUTE,
      activities: { resources, rows: past },
      requests: requests.filter(hasHappened),
      isLast,
    },
  }
}
