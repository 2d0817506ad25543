import { setTimeout as delay } from 'node:timers/promises'
import { DEFAULT_LOAD } from '../load/load-options.ts'
import type { LoadReport, SpanIds } from '../load/load-report.ts'
import { ENTRY_SERVICE } from '../load/simulated-services.ts'
import { startLoad } from '../load/start-load.ts'
import { say } from '../report/progress.ts'
import type { MeasuredServer } from '../server/measured-server.ts'
import { compactAll } from '../store/sealed-hours.ts'

const HOUR_MS = 3_600_000
/** Traces that begin last still end within the hour. */
const MARGIN_MS = 60_000
const PROGRESS_MS = 10_000

/** An hour of the past that is full of spans, and what can be asked about it. */
export interface LoadedHour {
  startMs: number
  endMs: number
  entryService: string
  /** A service in about 2 % of the spans. */
  service: string
  sample: SpanIds[]
}

/** Fills the hour before this one through the server, and has it sealed and compacted, as an hour that is over is, before the server starts again. */
export async function loadHour(server: MeasuredServer, spans: number): Promise<LoadedHour> {
  const startMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - HOUR_MS
  const range = { startMs, endMs: startMs + HOUR_MS - MARGIN_MS }
  const load = startLoad({ ...DEFAULT_LOAD, url: server.url, apiKey: server.apiKey, spansMax: spans, range })
  const progress = setInterval(() => say(`${load.acknowledgedSpans} spans loaded`), PROGRESS_MS)
  const report = await server.during(load.report).finally(() => {
    clearInterval(progress)
    load.giveUp()
  })
  if (report.unexpectedAnswers.length > 0) throw new Error(`while loading: ${report.unexpectedAnswers[0]}`)
  await server.stop()
  say('sealing, and bringing the hour into its final order')
  await compactAll(server.dataFolder)
  await server.start()
  await delay(1_000)
  return {
    startMs,
    endMs: startMs + HOUR_MS,
    entryService: ENTRY_SERVICE,
    service: serviceNear(report, 0.02),
    sample: report.sample,
  }
}

function serviceNear({ services }: LoadReport, share: number): string {
  const distance = (shareOfSpans: number) => Math.abs(shareOfSpans - share)
  const [nearest] = services.sort((a, b) => distance(a.shareOfSpans) - distance(b.shareOfSpans))
  return nearest?.name ?? ENTRY_SERVICE
}
