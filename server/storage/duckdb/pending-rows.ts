import { type DuckDBAppender, UBIGINT, VARCHAR } from '@duckdb/node-api'
import type { LogColumns } from '../../domain/columns/log-columns.ts'
import type { Origin } from '../../domain/columns/origin.ts'
import type { SpanColumns } from '../../domain/columns/span-columns.ts'
import type { MetricPoint } from '../../domain/metric-point.ts'
import { ChunkBuilder } from './chunk-builder.ts'
import { contentHash, seedsOf, uuidBytes } from './fingerprint.ts'
import { hourOf } from './layout.ts'
import { addLogRow, createLogChunks, logFingerprint } from './log-rows.ts'
import type { OpenFile, OpenTable } from './open-file.ts'
import { addPointRow, createPointChunks, pointFingerprint, pointRow } from './point-rows.ts'
import type { RecentKeys } from './recent-keys.ts'
import { addSpanRow, createSpanChunks, spanFingerprint } from './span-rows.ts'

const TWO_TO_32 = 4_294_967_296
const NS_PER_HOUR_AS_DOUBLE = 3.6e12

/** Rows that were taken and wait for the next commit, without those seen before. */
export class PendingRows {
  duplicates = 0
  private readonly keys: RecentKeys
  private readonly spans = createSpanChunks()
  private readonly logs = createLogChunks()
  private readonly points = createPointChunks()
  private readonly origins = new ChunkBuilder([UBIGINT, VARCHAR, VARCHAR, VARCHAR, VARCHAR])
  private readonly tables: [OpenTable, ChunkBuilder][]
  /** Origins of the pending rows, by their hash in hex. */
  private readonly usedOrigins = new Map<string, Origin>()
  private counts: { gridId: string; hour: number; rows: number }[] = []

  constructor(keys: RecentKeys) {
    this.keys = keys
    this.tables = [
      ['origins', this.origins],
      ['spans', this.spans],
      ['logs', this.logs],
      ['points', this.points],
    ]
  }

  get isEmpty(): boolean {
    return this.tables.every(([, builder]) => builder.isEmpty)
  }

  addSpans(gridId: string, spans: SpanColumns): void {
    const grid = uuidBytes(gridId)
    const seeds = seedsOf(`span ${gridId}`)
    const origins = spans.origins.map((origin) => this.useOrigin(origin))
    for (let row = 0; row < spans.length; row++) {
      const { high, low } = spanFingerprint(seeds, spans, row)
      if (!this.isNew(high, low)) continue
      addSpanRow(this.spans, grid, origins[spans.originIndexes[row] as number] as Uint8Array, spans, row)
      this.count(gridId, hourOfHalves(spans.startNsHalves, row))
    }
  }

  addLogs(gridId: string, logs: LogColumns): void {
    const grid = uuidBytes(gridId)
    const seeds = seedsOf(`log ${gridId}`)
    const origins = logs.origins.map((origin) => this.useOrigin(origin))
    for (let row = 0; row < logs.length; row++) {
      const { high, low } = logFingerprint(seeds, logs, row)
      if (!this.isNew(high, low)) continue
      addLogRow(this.logs, grid, origins[logs.originIndexes[row] as number] as Uint8Array, logs, row)
      this.count(gridId, hourOfHalves(logs.timeNsHalves, row))
    }
  }

  addPoints(gridId: string, points: MetricPoint[]): void {
    const grid = uuidBytes(gridId)
    const seeds = seedsOf(`point ${gridId}`)
    for (const point of points) {
      const { serviceName, resource, scopeName, scopeVersion } = point
      const origin = { serviceName, resourceJson: JSON.stringify(resource), scopeName, scopeVersion }
      const originHash = this.useOrigin(origin)
      const row = pointRow(point, originHash)
      const { high, low } = pointFingerprint(seeds, row)
      if (!this.isNew(high, low)) continue
      addPointRow(this.points, grid, originHash, row)
      this.count(gridId, hourOf(point.timeNs))
    }
  }

  /** Appends everything within the caller's transaction, and credits the file with it. */
  appendTo(file: OpenFile, appenders: Map<OpenTable, DuckDBAppender>): void {
    this.addOriginRows(file)
    for (const [table, builder] of this.tables) {
      if (builder.isEmpty) continue
      const chunks = builder.take()
      const appender = appenders.get(table)
      for (const chunk of chunks) appender?.appendDataChunk(chunk)
      appender?.flushSync()
      builder.recycle(chunks)
    }
    for (const { gridId, hour, rows } of this.counts) file.count(gridId, hour, rows)
    this.counts = []
  }

  discard(): void {
    for (const [, builder] of this.tables) builder.take()
    this.usedOrigins.clear()
    this.counts = []
  }

  private isNew(high: number, low: number): boolean {
    const isNew = this.keys.add(high, low)
    if (!isNew) this.duplicates++
    return isNew
  }

  private useOrigin(origin: Origin): Uint8Array {
    const { serviceName, resourceJson, scopeName, scopeVersion } = origin
    const hash = contentHash(serviceName, resourceJson, scopeName, scopeVersion).subarray(0, 8)
    this.usedOrigins.set(Buffer.from(hash).toString('hex'), origin)
    return hash
  }

  private addOriginRows(file: OpenFile): void {
    for (const [hex, origin] of this.usedOrigins) {
      if (file.knownOrigins.has(hex)) continue
      file.knownOrigins.add(hex)
      this.origins.putReversed(0, Buffer.from(hex, 'hex'), 0, 8)
      const texts = [origin.serviceName, origin.resourceJson, origin.scopeName, origin.scopeVersion]
      texts.forEach((text, i) => {
        if (text !== '') this.origins.putBytes(i + 1, Buffer.from(text))
      })
      this.origins.endRow()
    }
    this.usedOrigins.clear()
  }

  private count(gridId: string, hour: number): void {
    const last = this.counts.at(-1)
    if (last && last.hour === hour && last.gridId === gridId) last.rows++
    else this.counts.push({ gridId, hour, rows: 1 })
  }
}

function hourOfHalves(halves: Uint32Array, row: number): number {
  const ns = (halves[row * 2 + 1] as number) * TWO_TO_32 + (halves[row * 2] as number)
  const hour = Math.floor(ns / NS_PER_HOUR_AS_DOUBLE)
  const intoHourNs = ns - hour * NS_PER_HOUR_AS_DOUBLE
  // A double has not all digits of the nanoseconds: near the border the exact arithmetic decides.
  if (intoHourNs > 1e6 && NS_PER_HOUR_AS_DOUBLE - intoHourNs > 1e6) return hour
  return hourOf((BigInt(halves[row * 2 + 1] as number) << 32n) | BigInt(halves[row * 2] as number))
}
