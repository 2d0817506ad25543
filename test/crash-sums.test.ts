import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkMoment, type Moment } from './scenarios/independent/check-answers.ts'
import { RawGrid } from './scenarios/independent/raw-figures.ts'
import { RawLoad } from './scenarios/independent/raw-load.ts'
import type { RawSpan } from './scenarios/independent/raw-span.ts'
import { SeededNumbers } from './scenarios/independent/seeded-numbers.ts'
import { trafficOf } from './scenarios/independent/traffic.ts'
import { TRAFFIC_SHAPES } from './scenarios/independent/traffic-shapes.ts'
import { askDiagnostics, gridMaker, type TestGrid, untilSealed } from './scenarios/scenario-grid.ts'
import { type ServerProcess, startServer } from './server-process.ts'

const MINUTE_MS = 60_000
const ROUNDS = [1, 2, 3]
/** Of calls, and of messages; together over several hours, of which the last one is open. */
const SHAPES = TRAFFIC_SHAPES.filter(({ name }) => name === 'steady' || name === 'queues')
const SPANS_OF_SHAPE = 3000
/** The hour that is open and those before it, to the minute and not. */
const MOMENTS: Moment[] = [
  { atMs: 0, window: 15 },
  { atMs: -41 * MINUTE_MS - 1, window: 37 },
  { atMs: -1234, window: 1440 },
]

const momentMs = Date.now()
const datetime = (ms: number) => new Date(momentMs + ms).toISOString()
const random = new SeededNumbers(9)

let folder: string
let server: ServerProcess
let grid: TestGrid
let load: RawLoad

const start = () => startServer(join(folder, 'data'))

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faultline-crash-sums-'))
  server = await start()
  grid = await (await gridMaker(server, join(folder, 'data')))('crashes')
  const spans = SHAPES.flatMap((shape) => trafficOf({ ...shape, spansMin: SPANS_OF_SHAPE }))
  load = new RawLoad({ grid, momentMs, seed: 5, spans })
})
afterAll(async () => {
  await server.kill()
  await rm(folder, { recursive: true, force: true })
})

/** After some acknowledged batches and a moment, while others are under way. */
async function killUnderLoad(): Promise<void> {
  let batches = 4 + random.below(12)
  let sending = Promise.resolve()
  await new Promise<void>((enough, fail) => {
    sending = load.sendUntilGone(server, () => batches-- > 0 || enough())
    sending.then(enough, fail)
  })
  await wait(random.below(120))
  await server.kill()
  await sending
}

/** While it still puts in order what its predecessor left. */
async function killAtStart(): Promise<void> {
  server = await start()
  await wait(random.below(250))
  await server.kill()
}

async function wrongAnswers(spans: RawSpan[], isWhole = false, moments = MOMENTS): Promise<string[]> {
  const raw = new RawGrid(spans)
  const wrong: string[] = []
  for (const moment of moments) {
    const found = await checkMoment(raw, moment, askFor, datetime, isWhole)
    wrong.push(...found.map((text) => `${moment.window} min at ${moment.atMs}: ${text}`))
  }
  return wrong
}

async function askFor(path: string, query: Record<string, string | number>): Promise<Record<string, unknown>> {
  const asked = new URLSearchParams(Object.entries(query).map(([key, value]): [string, string] => [key, `${value}`]))
  const { status, body } = await askDiagnostics(server, grid, `${path}?${asked}`)
  if (status !== 200) throw new Error(`${path} was answered with ${status}: ${JSON.stringify(body)}`)
  return body as Record<string, unknown>
}

describe('figures agree with the acknowledged spans after a server was killed', { timeout: 120_000 }, () => {
  it.each(ROUNDS)('under load, and again as it started: round %i', async (round) => {
    await killUnderLoad()
    if (round % 2 === 0) await killAtStart()
    server = await start()
    await load.settle(server)
    expect(await wrongAnswers(load.acknowledged, false, MOMENTS.slice(1))).toEqual([])
  })

  it('with everything sent, and once sealed', async () => {
    await load.sendRest(server)
    await server.kill()
    server = await start()
    await untilSealed(server)
    expect(await wrongAnswers(load.acknowledged, true)).toEqual([])
  })

  it('which would show a single request that is missing, or one too many', async () => {
    const counted = load.acknowledged.findIndex(({ kind, startNs }) => kind === 'SERVER' && startNs > -10 * 60e9)
    const one = load.acknowledged[counted] as RawSpan
    const wrongWith = (spans: RawSpan[]) => wrongAnswers(spans, true, MOMENTS.slice(0, 1))
    expect(await wrongWith(load.acknowledged.toSpliced(counted, 1))).not.toEqual([])
    expect(await wrongWith([...load.acknowledged, { ...one, spanId: '0123456789abcdef' }])).not.toEqual([])
  })
})
