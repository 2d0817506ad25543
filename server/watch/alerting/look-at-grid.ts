import type { ControlStore } from '../../control/control-store.ts'
import type { Look } from '../../diagnostics/alerts/look.ts'
import { needsOf } from '../../diagnostics/alerts/rule-needs.ts'
import { seriesByService } from '../../diagnostics/alerts/service-series.ts'
import { type Sighting, sightingsOf } from '../../diagnostics/alerts/sightings.ts'
import type { DiagnosticsReader } from '../../storage/diagnostics-reader.ts'
import { alertChanges } from './alert-changes.ts'
import { alertEvents } from './alert-events.ts'
import { gridRows } from './grid-rows.ts'

interface GridLook {
  gridId: string
  reader: DiagnosticsReader
  control: Pick<ControlStore, 'alerts' | 'events'>
  look: Look
  /** Of the look before, if this is not the first one. */
  sightings: ReadonlyMap<string, Sighting> | undefined
  /** When an earlier process last looked. */
  predecessorLookedAtMs: number | undefined
}

interface LookedAt {
  sightings: ReadonlyMap<string, Sighting>
  /** How many alerts there was no room for. */
  leftOut: number
}

/** Judges a Grid's rules once and keeps what came of it. */
export async function lookAtGrid({ gridId, reader, control, look, ...before }: GridLook): Promise<LookedAt> {
  const { alerts, events } = control
  const rules = (await alerts.rules.list(gridId)).filter(({ enabled }) => enabled)
  const unresolved = await alerts.unresolved(gridId)
  const series = seriesByService(await gridRows(reader, needsOf(rules), look.nowMs))
  const asOfMs = before.sightings ? look.nowMs : (before.predecessorLookedAtMs ?? look.nowMs)
  const sightings = sightingsOf(series, before.sightings ?? new Map(), asOfMs)
  const changes = await alertChanges({ rules, series, sightings, unresolved, look })
  const leftOut = await alerts.save(gridId, changes, look.nowMs)
  // Also what was not told the last time, because the server ended in between.
  const untold = await alerts.untold(gridId)
  if (untold.length > 0) {
    await events.record(gridId, untold.flatMap(alertEvents), look.nowMs)
    await alerts.told(untold)
  }
  return { sightings, leftOut }
}
