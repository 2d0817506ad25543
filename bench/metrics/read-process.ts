import type { MetricReading } from '../../server/storage/chart-reader.ts'
import { openDuckDbStore } from '../../server/storage/duckdb/open-duckdb-store.ts'
import { DEFAULT_DUCKDB_OPTIONS } from '../../server/storage/duckdb/options.ts'
import { repeated } from '../query/repeated.ts'
import { COUNTER, GAUGE, HISTOGRAM } from './made-points.ts'
import type { ReadMonth } from './month-options.ts'

export interface ReadOptions {
  folder: string
  gridId: string
  startMs: number
  endMs: number
  /** Which step is answered from what is rolled up, and which is not. */
  rolledStepMinutes: number
  rawStepMinutes: number
}

const READINGS: [string, MetricReading][] = [
  [GAUGE, { of: 'numbers', as: 'average' }],
  [COUNTER, { of: 'numbers', as: 'rate' }],
  [HISTOGRAM, { of: 'distributions', as: 'percentile', percent: 95 }],
]

/** Reading a month of points takes longer than a server lets a question take. */
const QUESTION_MS_MAX = 600_000

// One series of each sort: from what is rolled up, and, because the step is no multiple of five minutes, from its points.
const options = JSON.parse(process.argv[2] ?? '') as ReadOptions
const { folder, gridId, startMs, endMs } = options
const store = await openDuckDbStore({
  ...DEFAULT_DUCKDB_OPTIONS,
  ...{ folder, queryTimeoutMs: QUESTION_MS_MAX, warn: (message: string) => console.error(message) },
})
const window = { startNs: BigInt(startMs) * 1_000_000n, endNs: BigInt(endMs) * 1_000_000n }
const read: ReadMonth[] = []
for (const [name, reading] of READINGS) {
  const ask = async (stepMinutes: number) => {
    const question = { window, stepMinutes, filter: { 'host.name': 'host-42' }, groupBy: '', name, reading }
    await store.reader(gridId).metricSteps(question)
  }
  const { medianMs } = await repeated(() => ask(options.rolledStepMinutes), { repetitions: 20 })
  const beganMs = performance.now()
  await ask(options.rawStepMinutes)
  read.push({ rolledMs: medianMs, rawMs: performance.now() - beganMs })
}
await store.close()
process.send?.(read)
process.disconnect()
