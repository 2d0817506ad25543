import type { ControlStore, Grid } from '../control/control-store.ts'
import type { Sighting } from '../diagnostics/alerts/sightings.ts'
import type { TelemetryStore } from '../storage/telemetry-store.ts'
import { lookAtGrid } from './alerting/look-at-grid.ts'

const INTERVAL_MS = 15_000
const PAUSE_MIN_MS = 1_000
const STOP_PATIENCE_MS = 2_000
/** After so long without a look, the server was down or asleep: what did not come in meanwhile says nothing. */
const DEAF_AFTER_MS = 150_000
const NOTE_INTERVAL_MS = 60_000
const PRUNE_INTERVAL_MS = 3_600_000
const MS_PER_DAY = 86_400_000

export interface AlertingOptions {
  telemetry: Pick<TelemetryStore, 'reader'>
  control: Pick<ControlStore, 'grids' | 'alerts' | 'events'>
  clock: () => number
  report: (error: unknown) => void
  intervalMs?: number
}

/** Judges the alert rules of every Grid, again and again. Returns how to stop it, which waits a while for the Grid it is at. */
export function watchAlerts({ intervalMs = INTERVAL_MS, ...options }: AlertingOptions): () => Promise<void> {
  const { clock } = options
  let stopped = false
  let wake = () => {}
  // What fails because the server is closing is nobody's concern.
  const report = (error: unknown) => stopped || options.report(error)
  const alerting = createAlerting({ ...options, report })

  async function watch(): Promise<void> {
    while (!stopped) {
      const startMs = clock()
      await alerting.lookAtAll(() => stopped).catch(report)
      const pauseMs = Math.max(Math.min(PAUSE_MIN_MS, intervalMs), intervalMs - Math.max(0, clock() - startMs))
      if (!stopped) {
        await new Promise<void>((resolve) => {
          wake = resolve
          setTimeout(resolve, pauseMs).unref()
        })
      }
    }
    await alerting.noteLook().catch(report)
  }

  const watching = watch()
  return async () => {
    stopped = true
    wake()
    const patience = new Promise((resolve) => setTimeout(resolve, STOP_PATIENCE_MS).unref())
    await Promise.race([watching, patience])
  }
}

export interface Alerting {
  /** Looks once at each Grid, one after another; a Grid that fails is reported and passed over. */
  lookAtAll(isStopped?: () => boolean): Promise<void>
  /** Lets the next start know until when somebody listened. */
  noteLook(): Promise<void>
}

export function createAlerting({ telemetry, control, clock, report }: AlertingOptions): Alerting {
  let predecessorLookedAtMs: number | undefined
  let lookedAtMs: number | undefined
  let notedAtMs = 0
  let prunedAtMs = 0
  let hearingSinceMs = 0
  let sightingsOfGrid = new Map<string, ReadonlyMap<string, Sighting>>()

  async function lookAtAll(isStopped = () => false): Promise<void> {
    if (lookedAtMs === undefined) {
      predecessorLookedAtMs = await control.alerts.lookedAtMs()
      lookedAtMs = predecessorLookedAtMs
    }
    const startMs = clock()
    if (lookedAtMs !== undefined && startMs - lookedAtMs > DEAF_AFTER_MS) hearingSinceMs = startMs
    const prunes = startMs - prunedAtMs >= PRUNE_INTERVAL_MS
    if (prunes) prunedAtMs = startMs
    const grids = (await control.grids.list()).filter(serves)
    sightingsOfGrid = new Map([...sightingsOfGrid].filter(([gridId]) => grids.some(({ id }) => id === gridId)))
    for (const grid of grids) {
      if (isStopped()) return
      await lookAt(grid, prunes).catch((error: unknown) => {
        if (!control.grids.isRemoved(grid.id)) report(error)
      })
      lookedAtMs = clock()
    }
    lookedAtMs = clock()
    if (lookedAtMs - notedAtMs >= NOTE_INTERVAL_MS) await noteLook()
  }

  async function lookAt(grid: Grid, prunes: boolean): Promise<void> {
    if (prunes) await control.alerts.prune(grid.id, clock() - grid.aggregateRetentionDays * MS_PER_DAY)
    const { sightings, leftOut } = await lookAtGrid({
      gridId: grid.id,
      reader: telemetry.reader(grid.id),
      control,
      look: { nowMs: clock(), hearingSinceMs },
      sightings: sightingsOfGrid.get(grid.id),
      predecessorLookedAtMs,
    })
    sightingsOfGrid.set(grid.id, sightings)
    if (leftOut > 0) report(new Error(`The Grid ${grid.id} has too many alerts at once: ${leftOut} were left out.`))
  }

  async function noteLook(): Promise<void> {
    if (lookedAtMs === undefined) return
    notedAtMs = lookedAtMs
    await control.alerts.noteLook(lookedAtMs)
  }

  return { lookAtAll, noteLook }
}

/** Without a subscription nothing comes in, which would look like silence. */
function serves({ subscriptionState }: Grid): boolean {
  return subscriptionState === 'active' || subscriptionState === 'trial'
}
