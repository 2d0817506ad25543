import type { ControlStore } from '../control/control-store.ts'
import type { TelemetryStore } from '../storage/telemetry-store.ts'

const INTERVAL_MS = 60_000

interface RemovalParts {
  store: Pick<TelemetryStore, 'dropGrid'>
  control: Pick<ControlStore, 'grids'>
  report: (error: unknown) => void
}

export interface Removals {
  /** Looks now for Grids that were removed, and removes their telemetry. Resolves when that was tried. */
  finish(): Promise<void>
  stop(): void
}

/** Removes the telemetry of removed Grids: also what an earlier process began, and again where it failed. */
export function watchRemovals({ store, control, report }: RemovalParts): Removals {
  let last = Promise.resolve()
  let isStopped = false

  async function removeAll(): Promise<void> {
    for (const { id, isTelemetryRemoved } of await control.grids.removed()) {
      if (isStopped) return
      if (isTelemetryRemoved) continue
      await store.dropGrid(id)
      await control.grids.noteTelemetryRemoved(id)
    }
  }

  function finish(): Promise<void> {
    last = last.then(removeAll).catch((error: unknown) => {
      if (!isStopped) report(error)
    })
    return last
  }

  const timer = setInterval(() => void finish(), INTERVAL_MS)
  timer.unref()
  void finish()
  return {
    finish,
    stop() {
      isStopped = true
      clearInterval(timer)
    },
  }
}
