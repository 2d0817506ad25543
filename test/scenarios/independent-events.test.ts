import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ServerProcess, startServer } from '../server-process.ts'
import { mismatches } from './independent/expected.ts'
import { expectedPools, type Pool, poolRecords, poolsOf } from './independent/pools.ts'
import { otlpOf, type RawSpan } from './independent/raw-span.ts'
import { expectedChanges, RELEASED, releaseTraffic } from './independent/releases.ts'
import { SeededNumbers } from './independent/seeded-numbers.ts'
import { failingTraffic, figuresTold } from './independent/told-figures.ts'
import { askDiagnostics, gridMaker, send, type TestGrid } from './scenario-grid.ts'

const MS_PER_DAY = 86_400_000
const BATCH_SPANS = 1500
const POLL_MS = 250

/** Noon of the day before: the same minutes and hours whenever this runs. */
const momentMs = Date.now() - (Date.now() % MS_PER_DAY) - MS_PER_DAY / 2
const at = new Date(momentMs).toISOString()
const random = new SeededNumbers(21)
const releases = releaseTraffic(RELEASED, 22)
const failing = failingTraffic(23)
const pools: Pool[] = poolsOf(random, 40)

let folder: string
let server: ServerProcess
let grid: TestGrid

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faultline-events-'))
  server = await startServer(join(folder, 'data'))
  const makeGrid = await gridMaker(server, join(folder, 'data'))
  grid = await makeGrid('releases and pools')
  await sendSpans(grid, releases)
  await send(server, grid, 'metrics', random.shuffled(poolRecords(pools, momentMs)))
})
afterAll(async () => {
  await server.kill()
  await rm(folder, { recursive: true, force: true })
})

async function sendSpans(to: TestGrid, spans: RawSpan[]): Promise<void> {
  const records = random.shuffled(spans).map((span) => otlpOf(span, momentMs))
  for (let from = 0; from < records.length; from += BATCH_SPANS)
    await send(server, to, 'traces', records.slice(from, from + BATCH_SPANS))
}

async function answered<T>(of: TestGrid, path: string, field: string): Promise<T[]> {
  const { status, body } = await askDiagnostics(server, of, `${path}?at=${at}`)
  expect(status).toBe(200)
  return (body as Record<string, T[]>)[field] ?? []
}

/** A datetime of an answer, as the traffic counts time. */
function fromMoment<T extends Record<Key, string>, Key extends string>(items: T[], key: Key) {
  return items.map(({ [key]: datetime, ...rest }) => ({ ...rest, atMs: Date.parse(datetime) - momentMs }))
}

describe('every figure equals what the raw telemetry gives', () => {
  it('of changes and of what they did', async () => {
    const expected = expectedChanges(RELEASED, releases)
    let changes = await answered<{ detectedAt: string }>(grid, '/changes', 'changes')
    while (changes.length < expected.length) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
      changes = await answered(grid, '/changes', 'changes')
    }
    expect(fromMoment(changes, 'detectedAt')).toEqual(expected)
    const events = await answered<{ timestamp: string; type: string; serviceName: string }>(grid, '/timeline', 'events')
    const deployments = fromMoment(events, 'timestamp').filter(({ type }) => type === 'deployment')
    expect(deployments.map(({ serviceName, atMs }) => [serviceName, atMs])).toEqual(
      expected.map(({ serviceName, atMs }) => [serviceName, atMs]).reverse(),
    )
  })

  it('of pools under pressure', async () => {
    const points = await answered<{ detectedAt: string; resource: string; severity: string }>(
      grid,
      '/pressure',
      'pressurePoints',
    )
    const isCritical = points.map(({ severity }) => severity === 'critical')
    expect(isCritical).toEqual(isCritical.toSorted((a, b) => Number(b) - Number(a)))
    const byName = (a: { resource: string }, b: { resource: string }) => (a.resource < b.resource ? -1 : 1)
    const expected = expectedPools(pools).sort(byName)
    expect(expected.length).toBeGreaterThan(5)
    expect(mismatches(fromMoment(points, 'detectedAt').sort(byName), expected, 'pressure')).toEqual([])
  })

  it('of what a diagnosis brings forward', async () => {
    const own = await (await gridMaker(server, join(folder, 'data')))('failing')
    await sendSpans(own, failing)
    const [diagnosis, ...others] = await answered<{ evidence: string[]; impactedTraceCount: number }>(
      own,
      '/diagnosis',
      'diagnoses',
    )
    expect(others).toEqual([])
    const failed = new Set(failing.filter((span) => span.failed).map(({ traceId }) => traceId))
    expect(diagnosis?.impactedTraceCount).toBe(failed.size)
    const told = figuresTold(diagnosis?.evidence ?? [], failing, momentMs)
    expect(told.length).toBeGreaterThan(0)
    expect(told.filter(({ isRight }) => !isRight)).toEqual([])
  })
})
