import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { MetricReading, MetricStepQuestion } from '../../chart-reader.ts'
import { metricPointOf, type PointLiteral } from '../../conformance/metric-builder.ts'
import { SeededRandom } from '../../conformance/seeded-random.ts'
import { MS_PER_HOUR, windowMs } from '../../conformance/test-time.ts'
import { createMemoryStore } from '../../memory/memory-store.ts'
import type { TelemetryReader, TelemetryStore } from '../../telemetry-store.ts'
import type { DuckDbStore } from '../duckdb-store.ts'
import { METRIC_NAMES, randomPoints } from '../testing/random-points.ts'
import { GRID, TestStores } from '../testing/test-store.ts'

/** From nine in the evening to three at night: two days. */
const FIRST_HOUR = 11
const HOURS = 6

const stores = new TestStores()

afterEach(() => stores.dispose())

async function write(store: TelemetryStore, points: PointLiteral[]): Promise<void> {
  await store.writeMetrics(GRID, points.map(metricPointOf))
}

/** Answers as `group step` and value, in one order. */
async function stepsOf(reader: TelemetryReader, question: MetricStepQuestion): Promise<[string, number][]> {
  const steps = await reader.metricSteps(question)
  return steps
    .map(({ group, stepNs, value }): [string, number] => [`${group} ${stepNs}`, value])
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
}

const NUMBERS = (['average', 'least', 'greatest', 'total', 'rate'] as const).map(
  (as): MetricReading => ({ of: 'numbers', as }),
)
const DISTRIBUTIONS: MetricReading[] = [
  { of: 'distributions', as: 'mean' },
  { of: 'distributions', as: 'rate' },
  { of: 'distributions', as: 'percentile', percent: 95 },
]
const hoursOf = (from: number, to: number) =>
  windowMs((FIRST_HOUR + from) * MS_PER_HOUR, (FIRST_HOUR + to) * MS_PER_HOUR)
const ALL = hoursOf(0, HOURS)
const WINDOWS = [ALL, hoursOf(1.3429, 5.0216), hoursOf(-5, 3.5), hoursOf(4 + 1 / 12, 5 - 1 / 12)]

function questionsOf(seed: number): MetricStepQuestion[] {
  const random = new SeededRandom(seed)
  return METRIC_NAMES.flatMap((name) =>
    (/gauge|counter/.test(name) ? NUMBERS : DISTRIBUTIONS).map(
      (reading): MetricStepQuestion => ({
        ...{ name, reading, window: random.pick(WINDOWS), stepMinutes: random.pick([5, 10, 30, 60, 120, 360, 1440]) },
        filter: random.pick([{}, {}, { pool: 'a' }, { region: 'eu' }, { 'service.name': 'shop' }]),
        groupBy: random.pick(['', '', 'pool', 'region', 'service.name']),
        ...(random.chance(0.2) && { serviceName: 'shop' }),
      }),
    ),
  )
}

/** What a store answers, beside what follows from all points one by one. */
async function expectSameAnswers(store: DuckDbStore, plain: TelemetryStore, seed: number): Promise<void> {
  const [found, expected] = [store.reader(GRID), plain.reader(GRID)]
  for (const question of questionsOf(seed)) {
    const asked = `${question.name} ${JSON.stringify(question, (_, value) => (typeof value === 'bigint' ? String(value) : value))}`
    const [own, right] = [await stepsOf(found, question), await stepsOf(expected, question)]
    expect(
      own.map(([step]) => step),
      asked,
    ).toEqual(right.map(([step]) => step))
    for (const [i, [step, value]] of right.entries())
      expect(Math.abs((own[i]?.[1] ?? 0) - value), `${asked} ${step}`).toBeLessThanOrEqual(
        1e-9 * Math.max(1, Math.abs(value)),
      )
  }
  for (const name of METRIC_NAMES) {
    const { intervalNs: _, ...traits } = (await expected.metricTraits(name, ALL)) ?? { intervalNs: 0n }
    expect(await found.metricTraits(name, ALL), name).toMatchObject(traits)
  }
}

async function dayFiles(folder: string): Promise<string[]> {
  return (await readdir(join(folder, 'grids', GRID))).filter((name) => name.endsWith('-points.duckdb')).sort()
}

describe('metric points of closed hours', () => {
  it('answer the same rolled up as one by one: at first, after late points, and after a restart', async () => {
    const folder = await stores.newFolder()
    const plain = createMemoryStore()
    let store = await stores.open(folder)
    const points = randomPoints(1, FIRST_HOUR, HOURS)
    const isLate = ({ atMs = 0 }: PointLiteral) => atMs % 17 === 0
    const [late, timely] = [points.filter(isLate), points.filter((point) => !isLate(point))]
    for (const half of [timely.slice(0, timely.length / 2), timely.slice(timely.length / 2)]) {
      await Promise.all([write(store, half), write(plain, half)])
      await store.settle()
    }
    await store.compact(Date.now())
    expect(await dayFiles(folder)).toEqual(['20260301-2-points.duckdb', '20260302-2-points.duckdb'])
    await expectSameAnswers(store, plain, 1)
    await Promise.all([write(store, late), write(plain, late)])
    await expectSameAnswers(store, plain, 2)
    await store.settle()
    await expectSameAnswers(store, plain, 3)
    await store.compact(Date.now())
    await store.close()
    store = await stores.open(folder)
    await expectSameAnswers(store, plain, 4)
    expect(stores.warnings).toEqual([])
  })
})
