import type { ControlStore, Grid } from '../control/control-store.ts'
import { diskBudgetOf } from '../control/disk-budget.ts'
import { isoOfNs, NS_PER_MS } from '../domain/time-window.ts'
import type { RoomMade, TelemetryStore } from '../storage/telemetry-store.ts'

const INTERVAL_MS = 60_000
const NS_PER_DAY = 86_400_000_000_000n
const MS_PER_DAY = 86_400_000
/** A year, and time to look back on it. */
const AUDIT_DAYS = 400

interface RetentionParts {
  store: Pick<TelemetryStore, 'expire' | 'fitInto'>
  control: Pick<ControlStore, 'grids' | 'audit'>
  /** What telemetry of all Grids together may take of the disk. */
  budgetBytes: number
  clock: () => number
  log: (fields: object, message: string) => void
  report: (error: unknown) => void
}

/** Removes, every minute, what is older than each Grid keeps, and what takes more space than it may. Returns how to stop it. */
export function watchRetention(parts: RetentionParts): () => void {
  let isLooking = false
  const look = async () => {
    if (isLooking) return
    isLooking = true
    await enforceRetention(parts).catch(parts.report)
    isLooking = false
  }
  const timer = setInterval(() => void look(), INTERVAL_MS)
  timer.unref()
  void look()
  return () => clearInterval(timer)
}

export async function enforceRetention(parts: Omit<RetentionParts, 'report'>): Promise<void> {
  const { store, control, clock } = parts
  const nowMs = clock()
  await store.expire((await control.grids.list()).map((grid) => retentionOf(grid, nowMs)))
  await makeRoom(parts, nowMs)
  await control.audit.expire(nowMs - AUDIT_DAYS * MS_PER_DAY)
}

function retentionOf({ id, rawRetentionDays, aggregateRetentionDays }: Grid, nowMs: number) {
  const nowNs = BigInt(nowMs) * NS_PER_MS
  const daysAgo = (days: number) => nowNs - BigInt(Math.round(days * 1000)) * (NS_PER_DAY / 1000n)
  return { gridId: id, oldestNs: daysAgo(rawRetentionDays), oldestSumsNs: daysAgo(aggregateRetentionDays) }
}

async function makeRoom(
  { store, control, budgetBytes, log }: Omit<RetentionParts, 'report'>,
  nowMs: number,
): Promise<void> {
  const grids = (await control.grids.list()).flatMap((grid) => {
    const maxBytes = diskBudgetOf(grid, budgetBytes)
    return maxBytes === null ? [] : [{ gridId: grid.id, maxBytes }]
  })
  for (const made of await store.fitInto({ grids, maxBytes: budgetBytes }, nowMs)) {
    log(logFields(made), 'telemetry took more of the disk than it may; its oldest hours were removed')
    await noteRemoved(control, made)
  }
}

function logFields({ recordsFromNs, ...made }: RoomMade): object {
  return { ...made, ...(recordsFromNs !== undefined && { recordsFrom: isoOfNs(recordsFromNs) }) }
}

/** From now on older records are refused, and questions about them are answered from what is left. */
async function noteRemoved({ grids }: Pick<ControlStore, 'grids'>, { gridId, recordsFromNs }: RoomMade): Promise<void> {
  const grid = await grids.find(gridId)
  if (!grid || recordsFromNs === undefined) return
  const recordsFromMs = Number(recordsFromNs / NS_PER_MS)
  if (recordsFromMs > grid.recordsFromMs) await grids.update(gridId, { recordsFromMs })
}
