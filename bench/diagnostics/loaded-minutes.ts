import { DEFAULT_LOAD } from '../load/load-options.ts'
import { startLoad } from '../load/start-load.ts'
import { say } from '../report/progress.ts'
import { number } from '../report/table.ts'
import type { MeasuredServer } from '../server/measured-server.ts'
import { untilSealed } from '../server/until-sealed.ts'

/** The current window and its baseline. */
const LOADED_MS = 75 * 60_000
const PROGRESS_MS = 10_000

/** Fills the last 75 minutes through a running server, up to the moment at which the last span was sent. */
export async function loadMinutes(server: MeasuredServer, spans: number): Promise<void> {
  say(`loading ${number(spans)} spans`)
  const range = { startMs: Date.now() - LOADED_MS }
  const load = startLoad({ ...DEFAULT_LOAD, url: server.url, apiKey: server.apiKey, spansMax: spans, range })
  const progress = setInterval(() => say(`${number(load.acknowledgedSpans)} spans loaded`), PROGRESS_MS)
  const report = await server.during(load.report).finally(() => {
    clearInterval(progress)
    load.giveUp()
  })
  if (report.unexpectedAnswers.length > 0) throw new Error(`while loading: ${report.unexpectedAnswers[0]}`)
  await untilSealed(server)
}
