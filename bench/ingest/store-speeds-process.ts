import { randomFillSync } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { SpanColumns } from '../../server/domain/columns/span-columns.ts'
import { StoreUnavailable } from '../../server/domain/store-errors.ts'
import { decodeTraces } from '../../server/ingest/otlp/decode-traces.ts'
import { Database } from '../../server/storage/duckdb/engine/database.ts'
import { openDuckDbStore } from '../../server/storage/duckdb/open-duckdb-store.ts'
import { DEFAULT_DUCKDB_OPTIONS } from '../../server/storage/duckdb/options.ts'
import { SpanGenerator } from '../load/span-generator.ts'
import { windowTimes } from '../load/window-times.ts'
import { rawInsertSpeed, rawSpans } from '../store/raw-insert.ts'
import type { StoreSpeeds, StoreSpeedsOptions } from './store-speeds.ts'

const BATCHES = 80
const WRITES_IN_FLIGHT = 64
/** A store that is behind with sealing refuses: its speed then is that of sealing. */
const REFUSED_WAIT_MS = 50
const DAY_NS = 86_400_000_000_000n

// A process of its own, because the store keeps memory and threads for itself.
const options = JSON.parse(process.argv[2] ?? '') as StoreSpeedsOptions
const bodies = makeBodies()
const decodedSpansPerSecond = decodeSpeed()
const batches = bodies.map((body) => decode(body, new SpanColumns()))
const database = await Database.open({ ...DEFAULT_DUCKDB_OPTIONS, temporaryFolder: join(options.folder, 'temporary') })
const rawSpansPerSecond = await rawInsertSpeed(database, options.folder, rawSpans(), batches, options.durationMs)
await database.close()
const storeSpansPerSecond = await storeSpeed()
process.send?.({ rawSpansPerSecond, decodedSpansPerSecond, storeSpansPerSecond } satisfies StoreSpeeds)
process.disconnect()

function makeBodies(): Buffer[] {
  const load = { url: '', apiKey: '', connections: 1, seed: 5, spansPerBatch: options.spansPerBatch }
  const generator = new SpanGenerator({ ...load, timeOf: windowTimes(load) })
  return Array.from({ length: BATCHES }, () => generator.next(Buffer.allocUnsafeSlow(generator.bodyBytesMax)).body)
}

function decode(body: Buffer, columns: SpanColumns): SpanColumns {
  const nowNs = BigInt(Date.now()) * 1_000_000n
  decodeTraces(body, { oldestNs: nowNs - DAY_NS, newestNs: nowNs + DAY_NS, nowNs }, columns)
  return columns
}

function decodeSpeed(): number {
  const columns = new SpanColumns()
  const startedMs = performance.now()
  let spans = 0
  for (let i = 0; performance.now() - startedMs < options.durationMs / 2; i++)
    spans += decode(bodies[i % BATCHES] as Buffer, columns).length
  return spans / ((performance.now() - startedMs) / 1000)
}

/** The store as the server uses it, with everything but HTTP, threads and decoding. */
async function storeSpeed(): Promise<number> {
  const warn = (message: string) => console.error(message)
  const store = await openDuckDbStore({ ...DEFAULT_DUCKDB_OPTIONS, folder: join(options.folder, 'store'), warn })
  const startedMs = performance.now()
  let spans = 0
  const write = async (): Promise<void> => {
    for (let i = 0; performance.now() - startedMs < options.durationMs; i++) {
      const batch = batches[i % BATCHES] as SpanColumns
      randomFillSync(batch.traceIds)
      try {
        await store.writeSpans('11111111-2222-4333-8444-555555555555', batch)
        spans += batch.length
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error
        await setTimeout(REFUSED_WAIT_MS)
      }
    }
  }
  await Promise.all(Array.from({ length: WRITES_IN_FLIGHT }, write))
  const spansPerSecond = spans / ((performance.now() - startedMs) / 1000)
  await store.close()
  return spansPerSecond
}
