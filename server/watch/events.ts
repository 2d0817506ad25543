import type { ControlStore } from '../control/control-store.ts'
import type { TelemetryStore } from '../storage/telemetry-store.ts'
import { keepEventsSmall } from './events-housekeeping.ts'
import { lookForEvents } from './events-look.ts'

/** Short enough that what has arrived is found within 15 seconds. */
const INTERVAL_MS = 10_000
const HOUSEKEEPING_INTERVAL_MS = 3_600_000

export interface EventWatch {
  telemetry: Pick<TelemetryStore, 'reader'>
  control: Pick<ControlStore, 'grids' | 'events' | 'eventMemory'>
  clock: () => number
  report: (error: unknown) => void
}

/**
 * Looks for changes and anomalies in whatever telemetry has come since it last looked, also in hours long past and also
 * after a restart, and records them. Returns how to stop it, which waits until it has.
 */
export function watchEvents({ telemetry, control, clock, report }: EventWatch): () => Promise<void> {
  let stopped = false
  let running: Promise<void> | undefined
  let housekeptAtMs = Number.NEGATIVE_INFINITY

  async function look(): Promise<void> {
    const isHousekeeping = clock() - housekeptAtMs >= HOUSEKEEPING_INTERVAL_MS
    if (isHousekeeping) housekeptAtMs = clock()
    for (const grid of await control.grids.list()) {
      if (stopped) return
      const isOver = () => stopped || control.grids.isRemoved(grid.id)
      const failed = (error: unknown) => {
        if (!control.grids.isRemoved(grid.id)) report(error)
      }
      const dependencies = { reader: telemetry.reader(grid.id), control, clock, isStopped: isOver }
      await lookForEvents(grid.id, dependencies).catch(failed)
      if (isHousekeeping) await keepEventsSmall(grid, control, clock()).catch(failed)
    }
  }

  function start(): void {
    running ??= look()
      .catch(report)
      .finally(() => {
        running = undefined
      })
  }

  const timer = setInterval(start, INTERVAL_MS)
  timer.unref()
  start()
  return async () => {
    stopped = true
    clearInterval(timer)
    await running
  }
}
