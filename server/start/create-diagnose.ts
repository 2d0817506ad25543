import type { ControlStore } from '../control/control-store.ts'
import { diagnose } from '../diagnostics/diagnosis/diagnose.ts'
import type { Diagnosis } from '../diagnostics/diagnosis/diagnosis.ts'
import { windowsAt } from '../diagnostics/windows.ts'
import { NS_PER_MS } from '../domain/time-window.ts'
import { changesOf } from '../http/routes/diagnostics/diagnosis.ts'
import type { TelemetryStore } from '../storage/telemetry-store.ts'

/** What `/diagnosis` answers for a moment, for those who do not ask by HTTP. */
export function createDiagnose(
  telemetry: Pick<TelemetryStore, 'reader'>,
  { events }: Pick<ControlStore, 'events'>,
): (gridId: string, atMs: number) => Promise<Diagnosis[]> {
  return (gridId, atMs) => {
    const sources = { reader: telemetry.reader(gridId), changes: changesOf(events, gridId) }
    return diagnose(sources, windowsAt(BigInt(atMs) * NS_PER_MS))
  }
}
