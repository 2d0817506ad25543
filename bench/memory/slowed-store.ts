import { fork } from 'node:child_process'
import { availableParallelism, setPriority } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { compiled } from '../compiled.ts'
import { DEFAULT_LOAD } from '../load/load-options.ts'
import type { LoadReport } from '../load/load-report.ts'
import { startLoad } from '../load/start-load.ts'
import type { MeasuredServer } from '../server/measured-server.ts'
import { threadsOf, usageOf } from '../server/process-usage.ts'

const LOWEST_PRIORITY = 19
const SAMPLE_MS = 500

export interface SlowedStore {
  /** Of the server's memory, from the beginning to the end. */
  rssMb: number[]
  load: LoadReport
}

/**
 * Sends as fast as possible to a server whose store hardly runs: every thread but the one that answers requests has the
 * lowest priority, while other processes keep all processors busy. Nothing in the server knows of it.
 */
export async function loadSlowedStore(server: MeasuredServer, durationMs: number): Promise<SlowedStore> {
  const burners = Array.from({ length: availableParallelism() }, () => fork(compiled('memory/busy-process.js')))
  for (const { id } of threadsOf(server.pid)) if (id !== server.pid) setPriority(id, LOWEST_PRIORITY)
  const load = startLoad({
    ...DEFAULT_LOAD,
    url: server.url,
    apiKey: server.apiKey,
    seed: 8,
    durationMs,
    connections: 512,
  })
  const rssMb: number[] = []
  const endMs = performance.now() + durationMs
  while (performance.now() < endMs) {
    await delay(SAMPLE_MS)
    rssMb.push(usageOf(server.pid).rssMb)
  }
  for (const burner of burners) burner.kill()
  load.giveUp()
  return { rssMb, load: await load.report }
}
