import type { MetricReading } from '../../server/storage/chart-reader.ts'
import { openDuckDbStore } from '../../server/storage/duckdb/duckdb-store.ts'
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
  repetitions: number
}

const READINGS: [string, MetricReading][] = [
  [GAUGE, { of: 'numbers', as: 'average' }],
  [COUNTER, { of: 'numbers', as: 'rate' }],
  [HISTOGRAM, { of: 'distributions', as: 'percentile', percent: 95 }],
]

// One series of each sort: from what is rolled up, and, because the step is no multiple of five minutes, from its points.
const options = JSON.parse(process.argv[2] ?? '') as ReadOptions
const { folder, gridId, startMs, endMs, repetitions } = options
const store = await openDuckDbStore({ ...DEFAULT_DUCKDB_OPTIONS, folder, warn: (message) => console.error(message) })
const window = { startNs: BigInt(startMs) * 1_000_000n, endNs: BigInt(endMs) * 1_000_000n }
const read: ReadMonth[] = []
for (const [name, reading] of READINGS) {
  const ask = async (stepMinutes: number) => {
    const question = { window, stepMinutes, filter: { 'host.name': 'host-42' }, groupBy: '', name, reading }
    const { medianMs } = await repeated(() => store.reader(gridId).metricSteps(question), { repetitions })
    return medianMs
  }
  read.push({ rolledMs: await ask(options.rolledStepMinutes), rawMs: await ask(options.rawStepMinutes) })
}
await store.close()
process.send?.(read)
process.disconnect()
