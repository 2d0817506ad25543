import { DEFAULT_APDEX } from '../../server/domain/apdex.ts'
import { SpanColumns } from '../../server/domain/columns/span-columns.ts'
import { decodeTraces } from '../../server/ingest/otlp/decode-traces.ts'
import { addLiveRow } from '../../server/storage/duckdb/live/live-rows.ts'
import { LiveSpans } from '../../server/storage/duckdb/live/live-spans.ts'
import { openDuckDbStore } from '../../server/storage/duckdb/open-duckdb-store.ts'
import { DEFAULT_DUCKDB_OPTIONS } from '../../server/storage/duckdb/options.ts'
import { DEFAULT_LOAD } from '../load/load-options.ts'
import { SpanGenerator } from '../load/span-generator.ts'
import type { AggregateCost, AggregateCostOptions } from './aggregate-cost.ts'
import { StepCosts } from './step-costs.ts'

/** As many as come in while the endpoints are asked, so that a file is about as many seconds long. */
const SPANS_PER_SECOND = 10_000
const SEED = 7
const DAY_NS = 86_400_000_000_000n
const NS_PER_SECOND = 1_000_000_000
const HOUR_MS = 3_600_000

// A process of its own, in which only one thing happens at a time.
const { folder, gridId, openFiles } = JSON.parse(process.argv[2] ?? '') as AggregateCostOptions
const rowsPerFile = DEFAULT_DUCKDB_OPTIONS.openRowsMax
const secondsInAll = (openFiles * rowsPerFile) / SPANS_PER_SECOND
const startNs = BigInt(Math.floor(Date.now() - secondsInAll * 1000)) * 1_000_000n
const generator = new SpanGenerator({
  seed: SEED,
  spansPerBatch: DEFAULT_LOAD.spansPerBatch,
  timeOf: (before, spans) => ({
    baseNs: startNs + BigInt(Math.floor((before / SPANS_PER_SECOND) * NS_PER_SECOND)),
    lengthNs: (spans / SPANS_PER_SECOND) * NS_PER_SECOND,
  }),
})
// One row more than is written, so that a file is sealed when it is told to be and not before.
const options = { ...DEFAULT_DUCKDB_OPTIONS, openRowsMax: rowsPerFile * 2, folder }
const store = await openDuckDbStore({ ...options, warn: (message) => console.error(message) })
const costs = new StepCosts()
costs.watch()
const used = { decodingUs: 0, writingUs: 0, sealingUs: 0 }
const alone = new LiveSpans(() => DEFAULT_APDEX, 0)
let spans = 0
for (let file = 0; file < openFiles; file++) await fillAndSeal()
const perSpan = (us: number) => us / spans
process.send?.({
  decodingUs: perSpan(used.decodingUs),
  writingUs: perSpan(used.writingUs),
  sealingUs: perSpan(used.sealingUs),
  aggregatesUs: perSpan(costs.totalUs),
  statements: costs.sorted.map(({ name, us }) => ({ name, us: perSpan(us) })),
} satisfies AggregateCost)
await store.close()
process.disconnect()

async function fillAndSeal(): Promise<void> {
  const bodies = Array.from({ length: rowsPerFile / DEFAULT_LOAD.spansPerBatch }, () => {
    const { body, spanCount } = generator.next(Buffer.allocUnsafeSlow(generator.bodyBytesMax))
    spans += spanCount
    return body
  })
  const batches = await measured('decodingUs', async () => bodies.map(decode))
  await measured('writingUs', () => Promise.all(batches.map((batch) => store.writeSpans(gridId, batch))))
  await measured('sealingUs', () => store.settle())
  costs.measured('keeping in memory', () => {
    for (const batch of batches) keepAlone(batch)
  })
}

/** Spans are kept as the store keeps them, and forgotten at once. */
function keepAlone(batch: SpanColumns): void {
  const grid = alone.grid(gridId)
  const hour = Math.floor(Date.now() / HOUR_MS)
  for (let row = 0; row < batch.length; row++) addLiveRow(alone, grid, hour, { id: 1, service: 1 }, batch, row)
  alone.forgetUnconfirmed()
}

function decode(body: Buffer): SpanColumns {
  const columns = new SpanColumns()
  const nowNs = BigInt(Date.now()) * 1_000_000n
  decodeTraces(body, { oldestNs: nowNs - DAY_NS, newestNs: nowNs + DAY_NS, nowNs }, columns)
  return columns
}

async function measured<T>(step: keyof typeof used, work: () => Promise<T>): Promise<T> {
  const before = process.cpuUsage()
  const result = await work()
  const { user, system } = process.cpuUsage(before)
  used[step] += user + system
  return result
}
