import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { DEFAULT_LOAD } from '../load/load-options.ts'
import type { LoadReport } from '../load/load-report.ts'
import { Random } from '../load/random.ts'
import { type Load, startLoad } from '../load/start-load.ts'
import type { MeasuredServer } from '../server/measured-server.ts'
import { hourFiles, sealAll } from '../store/sealed-hours.ts'
import { type Comparison, compareWithStore } from './compare-with-store.ts'
import { unanswered } from './read-back.ts'

export interface CrashOptions {
  rounds: number
  spansPerSecond: number
  spansPerBatch?: number
  /** Decides when the server is killed. */
  seed: number
  /** It lives between these after its first acknowledgement. */
  aliveMs: { min: number; max: number }
}

export interface CrashRound {
  aliveMs: number
  acknowledgedSpans: number
  readyAgainMs: number
  /** Of the spans acknowledged last before the kill, those that the API does not know. */
  unansweredSpans: number
}

export interface CrashReport {
  rounds: CrashRound[]
  load: LoadReport
  comparison: Comparison
}

/** Kills the server again and again while spans come in, and compares in the end what was acknowledged with what is there. */
export async function crashRounds(
  server: MeasuredServer,
  options: CrashOptions,
  onRound: (round: CrashRound) => void = () => undefined,
): Promise<CrashReport> {
  const random = new Random(options.seed)
  const journal = join(server.folder, 'acknowledged')
  const { spansPerSecond, seed, aliveMs, spansPerBatch = DEFAULT_LOAD.spansPerBatch } = options
  await server.start()
  const { url, apiKey } = server
  const load = startLoad({ ...DEFAULT_LOAD, url, apiKey, journal, seed, spansPerSecond, spansPerBatch })
  const rounds: CrashRound[] = []
  try {
    while (rounds.length < options.rounds) {
      const round = await crashRound(server, load, journal, aliveMs.min + random.below(aliveMs.max - aliveMs.min))
      rounds.push(round)
      onRound(round)
    }
    load.stop()
    const report = await load.report
    await server.stop()
    await sealAll(server.dataFolder)
    const files = hourFiles(server.dataFolder, server.gridId)
    return { rounds, load: report, comparison: await compareWithStore(journal, files) }
  } finally {
    load.giveUp()
  }
}

async function crashRound(server: MeasuredServer, load: Load, journal: string, aliveMs: number): Promise<CrashRound> {
  const before = load.acknowledgedSpans
  while (load.acknowledgedSpans === before) await Promise.race([delay(20), load.report])
  await delay(aliveMs)
  await server.kill()
  const acknowledgedSpans = load.acknowledgedSpans
  const readyAgainMs = await server.start()
  return { aliveMs, acknowledgedSpans, readyAgainMs, unansweredSpans: await unanswered(server, journal) }
}
