import type { ControlStore } from '../../../server/control/control-store.ts'
import { openSqliteControlStore } from '../../../server/control/sqlite/open-control-store.ts'
import { diagnose } from '../../../server/diagnostics/diagnosis/diagnose.ts'
import type { Diagnosis } from '../../../server/diagnostics/diagnosis/diagnosis.ts'
import { windowsAt } from '../../../server/diagnostics/windows.ts'
import { changesOf } from '../../../server/http/routes/diagnostics/diagnosis.ts'
import { createStoreIngest } from '../../../server/ingest/store-ingest.ts'
import { createMemoryStore } from '../../../server/storage/memory/memory-store.ts'
import type { TelemetryStore } from '../../../server/storage/telemetry-store.ts'
import { lookForEvents } from '../../../server/watch/events-look.ts'
import type { Incident } from '../incidents/incident.ts'
import type { Answer, GivenDiagnosis, Played, Player } from './player.ts'

type Calibrate = (score: number) => number

const ANY_TIME = { oldestNs: 0n, newestNs: 2n ** 62n }
const NS_PER_MS = 1_000_000n

/**
 * In this process and in memory, for development: the server's own decoder, background and engine, without HTTP and disk.
 * `calibrate` is given where the engine's own is to be fitted.
 */
export async function openQuickPlayer(calibrate?: Calibrate): Promise<Player> {
  const control = await openSqliteControlStore(':memory:')
  return {
    atOnce: 1,
    play: (incidents) => Promise.all(incidents.map((incident) => playInMemory(incident, control, calibrate))),
    close: () => control.close(),
  }
}

async function playInMemory(incident: Incident, control: ControlStore, calibrate?: Calibrate): Promise<Played> {
  const { id: gridId } = await control.grids.create({ name: incident.label.id })
  const store = createMemoryStore()
  const clock = () => incident.label.endMs
  const ingest = createStoreIngest(store, clock)
  for (const { signal, body } of incident.exports(0)) {
    const bytes = Buffer.from(body)
    const { rejected, reason } = await ingest.export({ gridId, signal, encoding: 'json', body: bytes, ...ANY_TIME })
    if (rejected > 0) throw new Error(`${incident.label.id}: ${rejected} records were rejected: ${reason}`)
  }
  await lookForEvents(gridId, { reader: store.reader(gridId), control, clock, isStopped: () => false })
  return {
    incident,
    ask: (atMs, windowMinutes) => ask(store, control, gridId, { atMs, windowMinutes, calibrate }),
    forget: () => store.dropGrid(gridId),
  }
}

async function ask(
  store: TelemetryStore,
  { events }: ControlStore,
  gridId: string,
  { atMs, windowMinutes, calibrate }: { atMs: number; windowMinutes: number; calibrate: Calibrate | undefined },
): Promise<Answer> {
  const sources = { reader: store.reader(gridId), changes: changesOf(events, gridId) }
  const startedMs = performance.now()
  const diagnoses = await diagnose(sources, windowsAt(BigInt(atMs) * NS_PER_MS, windowMinutes), calibrate)
  return { diagnoses: diagnoses.map(given), tookMs: performance.now() - startedMs }
}

function given({ cause, confidence, affectedServices, evidence, firstDetectedNs }: Diagnosis): GivenDiagnosis {
  return { cause, confidence, affectedServices, evidence, firstDetectedMs: Number(firstDetectedNs / NS_PER_MS) }
}
