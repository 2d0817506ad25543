import { setTimeout as delay } from 'node:timers/promises'
import { DEFAULT_LOAD } from '../load/load-options.ts'
import type { LoadReport } from '../load/load-report.ts'
import { startLoad } from '../load/start-load.ts'
import type { MeasuredServer } from '../server/measured-server.ts'
import { Asker } from './ask.ts'
import type { LoadedHour } from './loaded-hour.ts'
import { questionsAbout } from './questions.ts'
import { type Timing, timingOf } from './repeated.ts'

const PAUSE_MS = 40

/** A span by its id, again and again, while spans come in. */
export async function spansUnderLoad(
  server: MeasuredServer,
  hour: LoadedHour,
  spansPerSecond: number,
  durationMs: number,
): Promise<{ spans: Timing; load: LoadReport }> {
  const load = startLoad({
    ...DEFAULT_LOAD,
    url: server.url,
    apiKey: server.apiKey,
    seed: 9,
    spansPerSecond,
    durationMs,
  })
  const [question] = questionsAbout(hour)
  if (!question) throw new Error('there is no question')
  const asker = new Asker(server)
  const tookMs: number[] = []
  let isOver = false
  const report = load.report.finally(() => {
    isOver = true
  })
  for (let i = 0; !isOver; i++) {
    const beganMs = performance.now()
    await asker.ask(question, idsAt(hour, i))
    // The first ones still meet a load that is only beginning.
    if (load.acknowledgedSpans > 0) tookMs.push(performance.now() - beganMs)
    await delay(PAUSE_MS)
  }
  await asker.close()
  return { spans: timingOf(tookMs), load: await report }
}

export function idsAt(hour: LoadedHour, i: number): LoadedHour['sample'][number] {
  const ids = hour.sample[(i * 7) % hour.sample.length]
  if (!ids) throw new Error('no span was acknowledged')
  return ids
}
