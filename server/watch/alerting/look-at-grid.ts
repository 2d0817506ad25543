import type { ControlStore } from '../../control/control-store.ts'
import type { Look } from '../../diagnostics/alerts/look.ts'
import { needsOf } from '../../diagnostics/alerts/rule-needs.ts'
import { seriesByService } from '../../diagnostics/alerts/service-series.ts'
import type { DiagnosticsReader } from '../../storage/diagnostics-reader.ts'
import { alertChanges } from './alert-changes.ts'
import { alertEvents } from './alert-events.ts'
import { gridRows } from './grid-rows.ts'

interface GridLook {
  gridId: string
  reader: DiagnosticsReader
  control: Pick<ControlStore, 'alerts' | 'events'>
  look: Look
}

/** Judges a Grid's rules once and keeps what came of it; resolves to how many alerts there was no room for. */
export async function lookAtGrid({ gridId, reader, control, look }: GridLook): Promise<number> {
  const { alerts, events } = control
  const rules = (await alerts.rules.list(gridId)).filter(({ enabled }) => enabled)
  const unresolved = await alerts.unresolved(gridId)
  const series = seriesByService(await gridRows(reader, needsOf(rules), look.nowMs))
  const changes = await alertChanges({ rules, series, unresolved, look })
  const leftOut = await alerts.save(gridId, changes, look.nowMs)
  // Also what was not told the last time, because the server ended in between.
  const untold = await alerts.untold(gridId)
  if (untold.length > 0) {
    await events.record(gridId, untold.flatMap(alertEvents), look.nowMs)
    await alerts.told(untold)
  }
  return leftOut
}
