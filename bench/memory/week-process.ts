import { SpanColumns } from '../../server/domain/columns/span-columns.ts'
import { decodeTraces } from '../../server/ingest/otlp/decode-traces.ts'
import { openDuckDbStore } from '../../server/storage/duckdb/open-duckdb-store.ts'
import { DEFAULT_DUCKDB_OPTIONS } from '../../server/storage/duckdb/options.ts'
import { SpanGenerator } from '../load/span-generator.ts'
import { BATCHES_PER_WINDOW } from '../load/window-template.ts'
import type { WeekOptions } from './fill-week.ts'

const HOUR_MS = 3_600_000
const HOUR_NS = 3_600_000_000_000
const DAY_NS = 86_400_000_000_000n

// Writes one window of traces into each hour, straight into the store of a server that is stopped.
const { folder, gridId, hours, spansPerHour } = JSON.parse(process.argv[2] ?? '') as WeekOptions
const firstHourMs = (Math.floor(Date.now() / HOUR_MS) - hours) * HOUR_MS
let hour = 0
const generator = new SpanGenerator({
  seed: 6,
  spansPerBatch: Math.ceil(spansPerHour / BATCHES_PER_WINDOW),
  timeOf: () => ({ baseNs: BigInt(firstHourMs + hour++ * HOUR_MS) * 1_000_000n, lengthNs: HOUR_NS * 0.98 }),
})
const store = await openDuckDbStore({ ...DEFAULT_DUCKDB_OPTIONS, folder, warn: (message) => console.error(message) })
const nowNs = BigInt(Date.now()) * 1_000_000n
const limits = { oldestNs: nowNs - 30n * DAY_NS, newestNs: nowNs + DAY_NS, nowNs }
const memory = Buffer.allocUnsafeSlow(generator.bodyBytesMax)
const columns = new SpanColumns()
for (let i = 0; i < hours; i++) {
  const writes: Promise<void>[] = []
  for (let batch = 0; batch < BATCHES_PER_WINDOW; batch++) {
    decodeTraces(generator.next(memory).body, limits, columns)
    writes.push(store.writeSpans(gridId, columns))
  }
  await Promise.all(writes)
}
await store.settle()
await store.close()
process.send?.('filled')
process.disconnect()
