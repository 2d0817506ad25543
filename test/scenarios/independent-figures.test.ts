import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ServerProcess, startServer } from '../server-process.ts'
import { type AskFor, type Comparison, checkComparison, checkMoment, type Moment } from './independent/check-answers.ts'
import { RawGrid } from './independent/raw-figures.ts'
import { otlpOf, type RawSpan } from './independent/raw-span.ts'
import { SeededNumbers } from './independent/seeded-numbers.ts'
import { trafficOf } from './independent/traffic.ts'
import { TRAFFIC_SHAPES } from './independent/traffic-shapes.ts'
import { askDiagnostics, gridMaker, send, type TestGrid, untilSealed } from './scenario-grid.ts'

const MS_PER_DAY = 86_400_000
const MINUTE_MS = 60_000
const BATCH_SPANS = 1500
const LATE_SHARE = 0.1
const TWICE_SHARE = 0.05

/** Noon of the day before: the same minutes and hours whenever this runs. */
const momentMs = Date.now() - (Date.now() % MS_PER_DAY) - MS_PER_DAY / 2
const datetime = (ms: number) => new Date(momentMs + ms).toISOString()

/** Whole minutes and ragged ones, within an hour and across several. */
const MOMENTS: Moment[] = [
  { atMs: 0, window: 15 },
  { atMs: -7 * MINUTE_MS - 23_457, window: 1 },
  { atMs: -21 * MINUTE_MS - 1, window: 37 },
  { atMs: -1234, window: 1440 },
]

const COMPARISONS: Comparison[] = [
  { baseline: [-75 * MINUTE_MS, -15 * MINUTE_MS], current: [-15 * MINUTE_MS, 0] },
  { baseline: [-100 * MINUTE_MS - 17, -40 * MINUTE_MS - 3], current: [-63 * MINUTE_MS - 777, -1] },
  { baseline: [-30 * MINUTE_MS - 1500, -30 * MINUTE_MS], current: [-10 * MINUTE_MS - 1, -10 * MINUTE_MS + 1999] },
]

interface Traffic {
  name: string
  grid: TestGrid
  onTime: RawSpan[]
  late: RawSpan[]
  tellsErrors: boolean
}

let folder: string
let dataDir: string
let server: ServerProcess
const traffics: Traffic[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faultline-figures-'))
  dataDir = join(folder, 'data')
  server = await startServer(dataDir)
  const makeGrid = await gridMaker(server, dataDir)
  for (const shape of TRAFFIC_SHAPES) {
    const random = new SeededNumbers(shape.seed)
    const spans = trafficOf(shape)
    const isLate = spans.map(() => random.chance(LATE_SHARE))
    traffics.push({
      name: shape.name,
      grid: await makeGrid(shape.name),
      onTime: spans.filter((_, i) => !isLate[i]),
      late: spans.filter((_, i) => isLate[i]),
      tellsErrors: !shape.overlaps,
    })
  }
})
afterAll(async () => {
  await server.kill()
  await rm(folder, { recursive: true, force: true })
})

/** In any order, some of them twice. */
async function sendShuffled({ grid }: Traffic, spans: RawSpan[], seed: number): Promise<void> {
  const random = new SeededNumbers(seed)
  const twice = spans.filter(() => random.chance(TWICE_SHARE))
  const shuffled = random.shuffled([...spans, ...twice])
  for (let from = 0; from < shuffled.length; from += BATCH_SPANS) {
    const records = shuffled.slice(from, from + BATCH_SPANS).map((span) => otlpOf(span, momentMs))
    await send(server, grid, 'traces', records)
  }
}

async function wrongAnswers({ grid, tellsErrors }: Traffic, spans: RawSpan[], isWhole: boolean): Promise<string[]> {
  const raw = new RawGrid(spans)
  const ask: AskFor = async (path, query) => {
    const text = new URLSearchParams(
      Object.entries(query).map(([key, value]): [string, string] => [key, String(value)]),
    )
    const { status, body } = await askDiagnostics(server, grid, `${path}?${text}`)
    if (status !== 200) throw new Error(`${path} was answered with ${status}: ${JSON.stringify(body)}`)
    return body as Record<string, unknown>
  }
  const wrong: string[] = []
  for (const moment of MOMENTS)
    wrong.push(
      ...(await checkMoment(raw, moment, ask, datetime, tellsErrors && isWhole)).map(
        (text) => `${moment.window} min at ${moment.atMs}: ${text}`,
      ),
    )
  for (const [index, comparison] of COMPARISONS.entries())
    wrong.push(...(await checkComparison(raw, comparison, ask, datetime)).map((text) => `comparison ${index}: ${text}`))
  return wrong
}

async function restart(): Promise<void> {
  await server.kill()
  server = await startServer(dataDir)
  await untilSealed(server)
}

const names = TRAFFIC_SHAPES.map(({ name }, index) => [name, index] as const)
const trafficAt = (index: number) => traffics[index] as Traffic

describe('every figure equals what the raw spans give', () => {
  it.each(names)('%s: as they come', async (_, index) => {
    const traffic = trafficAt(index)
    await sendShuffled(traffic, traffic.onTime, 1)
    expect(await wrongAnswers(traffic, traffic.onTime, false)).toEqual([])
  })

  it('a crash in between, after which everything is sealed', restart)

  it.each(names)('%s: once sealed', async (_, index) => {
    expect(await wrongAnswers(trafficAt(index), trafficAt(index).onTime, false)).toEqual([])
  })

  it.each(names)('%s: with those that come late, and some that were there', async (_, index) => {
    const traffic = trafficAt(index)
    await sendShuffled(traffic, [...traffic.late, ...traffic.onTime.slice(0, 500)], 2)
    expect(await wrongAnswers(traffic, [...traffic.onTime, ...traffic.late], true)).toEqual([])
  })

  it('another crash', restart)

  it.each(names)('%s: all of them sealed', async (_, index) => {
    const { onTime, late } = trafficAt(index)
    expect(await wrongAnswers(trafficAt(index), [...onTime, ...late], true)).toEqual([])
  })
})
