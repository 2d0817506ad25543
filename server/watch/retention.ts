import type { ControlStore } from '../control/control-store.ts'
import type { TelemetryStore } from '../storage/telemetry-store.ts'

const INTERVAL_MS = 5 * 60_000
const NS_PER_DAY = 86_400_000_000_000n
const MS_PER_DAY = 86_400_000
/** A year, and time to look back on it. */
const AUDIT_DAYS = 400

/** Removes, every few minutes, what is older than each Grid keeps. Returns how to stop it. */
export function watchRetention(
  store: Pick<TelemetryStore, 'expire'>,
  control: Pick<ControlStore, 'grids' | 'audit'>,
  clock: () => number,
  report: (error: unknown) => void,
): () => void {
  async function expire(): Promise<void> {
    const nowNs = BigInt(clock()) * 1_000_000n
    const grids = await control.grids.list()
    const daysAgo = (days: number) => nowNs - BigInt(Math.round(days * 1000)) * (NS_PER_DAY / 1000n)
    const retentions = grids.map(({ id, rawRetentionDays, aggregateRetentionDays }) => ({
      gridId: id,
      oldestNs: daysAgo(rawRetentionDays),
      oldestSumsNs: daysAgo(aggregateRetentionDays),
    }))
    await store.expire(retentions)
    await control.audit.expire(clock() - AUDIT_DAYS * MS_PER_DAY)
  }
  const timer = setInterval(() => void expire().catch(report), INTERVAL_MS)
  timer.unref()
  void expire().catch(report)
  return () => clearInterval(timer)
}
