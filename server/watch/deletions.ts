import { setTimeout } from 'node:timers/promises'
import type { ControlStore } from '../control/control-store.ts'
import type { Deletion } from '../control/deletion-store.ts'
import { createHasher } from '../privacy/mask.ts'
import type { TelemetryStore } from '../storage/telemetry-store.ts'

const INTERVAL_MS = 1_000
/** What failed is tried again, but not at once: a full disk stays full for a while. */
const RETRY_MS = 30_000
const STOPPING_MS_MAX = 3_000

interface WatchOptions {
  telemetry: Pick<TelemetryStore, 'settledHours' | 'deleteRecords'>
  control: Pick<ControlStore, 'deletions' | 'privacy'>
  clock: () => number
  report: (error: unknown) => void
}

/**
 * Carries out deletions, one after another, hour by hour. Deleting from an hour again is harmless, so that after a crash all of it
 * is begun anew. Returns how to stop it, which waits a little for the hour that is being rewritten.
 */
export function watchDeletions({ telemetry, control, clock, report }: WatchOptions): () => Promise<void> {
  const { deletions } = control
  let isStopped = false
  let pausedUntilMs = 0
  let working: Promise<void> | undefined

  async function carryOut(deletion: Deletion & { value: string }): Promise<void> {
    const { id, gridId, attribute, signals, value } = deletion
    const match = { attribute, signals, values: [value, ...(await hashesOf(gridId, value))] }
    const hours = await telemetry.settledHours(gridId)
    await deletions.begin(id, hours.length, clock())
    for (const hour of hours) {
      if (isStopped) return
      await deletions.hourDone(id, await telemetry.deleteRecords(gridId, hour, match))
    }
    await deletions.finish(id, clock())
  }

  /** A rule may have hashed the value as a whole. */
  async function hashesOf(gridId: string, value: string): Promise<string[]> {
    const secret = await control.privacy.hashSecretOf(gridId)
    return secret === undefined ? [] : [createHasher(secret)(value)]
  }

  async function work(): Promise<void> {
    for (let next = await deletions.next(); next && !isStopped; next = await deletions.next()) {
      try {
        await carryOut(next)
      } catch (error) {
        if (isStopped) return
        report(error)
        pausedUntilMs = clock() + RETRY_MS
        await deletions.failed(next.id, error instanceof Error ? error.message : String(error))
        return
      }
    }
  }

  const timer = setInterval(() => {
    if (working || clock() < pausedUntilMs) return
    working = work()
      .catch(report)
      .finally(() => {
        working = undefined
      })
  }, INTERVAL_MS)
  timer.unref()
  return async () => {
    isStopped = true
    clearInterval(timer)
    await Promise.race([working, setTimeout(STOPPING_MS_MAX, undefined, { ref: false })])
  }
}
