import { setTimeout as delay } from 'node:timers/promises'
import { DEFAULT_LOAD } from '../load/load-options.ts'
import type { LoadReport } from '../load/load-report.ts'
import { Random } from '../load/random.ts'
import { startLoad } from '../load/start-load.ts'
import { Asker } from '../query/ask.ts'
import { type Timing, timingOf } from '../query/repeated.ts'
import { say } from '../report/progress.ts'
import { number } from '../report/table.ts'
import type { MeasuredServer } from '../server/measured-server.ts'
import { unsealedRows } from '../server/until-sealed.ts'
import type { Endpoint } from './endpoints.ts'

/** How long an endpoint took, and what it said the last time. */
export interface Answered extends Timing {
  endpoint: Endpoint
  answerBytes: number
  failure: string | undefined
}

/** What was answered, list by list, and what went on meanwhile. */
export interface AskedUnderLoad {
  answered: Answered[][]
  load: LoadReport
  /** The most that was seen: what every question has to look at row by row. */
  unsealedRowsMax: number
}

export interface LoadWhileAsked {
  spansPerSecond: number
  /** For each list of endpoints. */
  durationMs: number
}

/** Between two questions, as a person or a page that asks again leaves one. */
const PAUSE_MS = 20
/** The load runs at its rate, and the rows that it adds are neither all sealed nor all unsealed. */
const WARM_UP_MS = 5_000
const LOAD_SEED = 9
const ORDER_SEED = 11
const LOOK_MS = 1_000

/** Asks the lists one after another, each of its endpoints again and again, while spans come in. */
export async function askUnderLoad(
  server: MeasuredServer,
  lists: Endpoint[][],
  { spansPerSecond, durationMs }: LoadWhileAsked,
): Promise<AskedUnderLoad> {
  const load = startLoad({ ...DEFAULT_LOAD, url: server.url, apiKey: server.apiKey, seed: LOAD_SEED, spansPerSecond })
  let unsealedRowsMax = 0
  const look = async () => {
    unsealedRowsMax = Math.max(unsealedRowsMax, await unsealedRows(server).catch(() => 0))
  }
  const looking = setInterval(() => void look(), LOOK_MS)
  try {
    await delay(WARM_UP_MS)
    const answered: Answered[][] = []
    for (const endpoints of lists) answered.push(await server.during(askInTurn(server, endpoints, durationMs)))
    load.stop()
    return { answered, load: await server.during(load.report), unsealedRowsMax }
  } finally {
    clearInterval(looking)
    load.giveUp()
  }
}

async function askInTurn(server: MeasuredServer, endpoints: Endpoint[], durationMs: number): Promise<Answered[]> {
  const asker = new Asker(server)
  const asked = endpoints.map((endpoint) => new RepeatedQuestion(endpoint))
  const startedMs = performance.now()
  const random = new Random(ORDER_SEED)
  do {
    // In another order each time: what comes after the longest question waits for what was put off meanwhile.
    for (const question of shuffled(asked, random)) await question.ask(asker, server.gridId)
  } while (performance.now() - startedMs < durationMs)
  await asker.close()
  const answered = asked.map((question) => question.answered)
  for (const { endpoint, medianMs, p99Ms } of answered)
    say(`${endpoint.name}: median ${number(medianMs)} ms, p99 ${number(p99Ms)} ms`)
  return answered
}

function shuffled<T>(items: T[], random: Random): T[] {
  return items
    .map((item) => ({ item, lot: random.unit() }))
    .sort((a, b) => a.lot - b.lot)
    .map(({ item }) => item)
}

class RepeatedQuestion {
  private readonly endpoint: Endpoint
  private readonly tookMs: number[] = []
  private answerBytes = 0
  private failure: string | undefined

  constructor(endpoint: Endpoint) {
    this.endpoint = endpoint
  }

  /** A question that fails is a result too, and is not asked again. */
  async ask(asker: Asker, gridId: string): Promise<void> {
    if (this.failure !== undefined) return
    const beganMs = performance.now()
    try {
      this.answerBytes = (await asker.send('GET', this.endpoint.path(gridId))).length
      this.tookMs.push(performance.now() - beganMs)
    } catch (error) {
      this.failure = (error as Error).message
      say(this.failure)
    }
    await delay(PAUSE_MS)
  }

  get answered(): Answered {
    const { endpoint, answerBytes, failure } = this
    return { endpoint, answerBytes, failure, ...timingOf(failure === undefined ? this.tookMs : []) }
  }
}
