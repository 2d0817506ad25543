import { join } from 'node:path'
import { LogColumns } from '../../server/domain/columns/log-columns.ts'
import { decodeLogs } from '../../server/ingest/otlp/decode-logs.ts'
import { Database } from '../../server/storage/duckdb/engine/database.ts'
import { DEFAULT_DUCKDB_OPTIONS } from '../../server/storage/duckdb/options.ts'
import { SpanGenerator } from '../load/span-generator.ts'
import { windowTimes } from '../load/window-times.ts'
import { rawInsertSpeed, rawLogs } from '../store/raw-insert.ts'
import type { LogSpeeds, LogSpeedsOptions } from './log-speeds.ts'

const BATCHES = 80
const DAY_NS = 86_400_000_000_000n

// A process of its own, because the database keeps memory and threads for itself.
const options = JSON.parse(process.argv[2] ?? '') as LogSpeedsOptions
const bodies = makeBodies()
const decodedPerSecond = decodeSpeed()
const batches = bodies.map((body) => decode(body, new LogColumns()))
const database = await Database.open({ ...DEFAULT_DUCKDB_OPTIONS, temporaryFolder: join(options.folder, 'temporary') })
const rawPerSecond = await rawInsertSpeed(database, options.folder, rawLogs(), batches, options.durationMs)
await database.close()
process.send?.({ rawPerSecond, decodedPerSecond } satisfies LogSpeeds)
process.disconnect()

function makeBodies(): Buffer[] {
  const load = { url: '', apiKey: '', connections: 1, seed: 5, spansPerBatch: options.recordsPerBatch }
  const generator = new SpanGenerator({ ...load, records: 'logs', timeOf: windowTimes(load) })
  return Array.from({ length: BATCHES }, () => generator.next(Buffer.allocUnsafeSlow(generator.bodyBytesMax)).body)
}

function decode(body: Buffer, columns: LogColumns): LogColumns {
  const nowNs = BigInt(Date.now()) * 1_000_000n
  decodeLogs(body, { oldestNs: nowNs - DAY_NS, newestNs: nowNs + DAY_NS, nowNs }, columns)
  return columns
}

function decodeSpeed(): number {
  const columns = new LogColumns()
  const startedMs = performance.now()
  let records = 0
  for (let i = 0; performance.now() - startedMs < options.durationMs / 2; i++)
    records += decode(bodies[i % BATCHES] as Buffer, columns).length
  return records / ((performance.now() - startedMs) / 1000)
}
