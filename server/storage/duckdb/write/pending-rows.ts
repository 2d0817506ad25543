import { type DuckDBAppender, UBIGINT, VARCHAR } from '@duckdb/node-api'
import type { LogColumns } from '../../../domain/columns/log-columns.ts'
import type { Origin } from '../../../domain/columns/origin.ts'
import type { SpanColumns } from '../../../domain/columns/span-columns.ts'
import type { MetricPoint } from '../../../domain/metric-point.ts'
import { ChunkBuilder } from '../engine/chunk-builder.ts'
import type { OpenFile, OpenTable, RowTable } from '../files/open-file.ts'
import { hourOf } from '../layout.ts'
import { addLiveRow } from '../live/live-rows.ts'
import type { LiveSpans } from '../live/live-spans.ts'
import { uuidBytes } from './fingerprint.ts'
import { KeySeeds } from './key-seeds.ts'
import { addLogRows, createLogChunks, logFingerprint } from './log-rows.ts'
import { type OriginName, OriginNames } from './origin-names.ts'
import { addPointRow, createPointChunks, pointFingerprint, pointRow } from './point-rows.ts'
import type { RecentKeys } from './recent-keys.ts'
import { addSpanRows, createSpanChunks, spanFingerprint } from './span-rows.ts'

const TWO_TO_32 = 4_294_967_296
const NS_PER_HOUR_AS_DOUBLE = 3.6e12

/** So many rows of a table lie in one hour of a Grid. */
export interface RowCount {
  gridId: string
  hour: number
  table: RowTable
  rows: number
}

/** What one commit holds: it counts once the commit succeeded. */
interface Appended {
  counts: RowCount[]
  keys: number
  spans: number
}

/** Rows that were taken and wait for the next commit, without those seen before. */
export class PendingRows {
  duplicates = 0
  private readonly keys: RecentKeys
  private readonly live: LiveSpans
  private readonly spans = createSpanChunks()
  private readonly logs = createLogChunks()
  private readonly points = createPointChunks()
  private readonly origins = new ChunkBuilder([UBIGINT, VARCHAR, VARCHAR, VARCHAR, VARCHAR])
  private readonly tables: [OpenTable, ChunkBuilder][]
  /** Origins of the pending rows, by their hash in hex. */
  private readonly usedOrigins = new Map<string, Origin>()
  private counts: RowCount[] = []
  private readonly seeds = new KeySeeds()
  private readonly originNames = new OriginNames()

  constructor(keys: RecentKeys, live: LiveSpans) {
    this.keys = keys
    this.live = live
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
    const seeds = this.seeds.of('span', gridId)
    const names = spans.origins.map((origin) => this.originNames.of(origin))
    const origins = names.map(({ bytes }) => bytes)
    const liveGrid = this.live.grid(gridId)
    const liveOrigins = spans.origins.map((origin, i) => this.liveOrigin(origin, names[i] as OriginName))
    const usedOrigins = new Uint8Array(origins.length)
    let firstNew = 0
    for (let row = 0; row < spans.length; row++) {
      const hour = hourOfHalves(spans.startNsHalves, row)
      const { high, low } = spanFingerprint(seeds.inHour(hour), spans, row)
      if (!this.isNew(high, low)) {
        addSpanRows(this.spans, grid, origins, spans, firstNew, row)
        firstNew = row + 1
        continue
      }
      const origin = spans.originIndexes[row] as number
      usedOrigins[origin] = 1
      addLiveRow(this.live, liveGrid, hour, liveOrigins[origin] as LiveOrigin, spans, row)
      this.count(gridId, hour, 'spans')
    }
    addSpanRows(this.spans, grid, origins, spans, firstNew, spans.length)
    this.useOrigins(spans.origins, names, usedOrigins)
  }

  addLogs(gridId: string, logs: LogColumns): void {
    const grid = uuidBytes(gridId)
    const seeds = this.seeds.of('log', gridId)
    const names = logs.origins.map((origin) => this.originNames.of(origin))
    const origins = names.map(({ bytes }) => bytes)
    const usedOrigins = new Uint8Array(origins.length)
    let firstNew = 0
    for (let row = 0; row < logs.length; row++) {
      const hour = hourOfHalves(logs.timeNsHalves, row)
      const { high, low } = logFingerprint(seeds.inHour(hour), logs, row)
      if (!this.isNew(high, low)) {
        addLogRows(this.logs, grid, origins, logs, firstNew, row)
        firstNew = row + 1
        continue
      }
      usedOrigins[logs.originIndexes[row] as number] = 1
      this.count(gridId, hour, 'logs')
    }
    addLogRows(this.logs, grid, origins, logs, firstNew, logs.length)
    this.useOrigins(logs.origins, names, usedOrigins)
  }

  addPoints(gridId: string, points: MetricPoint[]): void {
    const grid = uuidBytes(gridId)
    const seeds = this.seeds.of('point', gridId)
    for (const point of points) {
      const { serviceName, resource, scopeName, scopeVersion } = point
      const origin = { serviceName, resourceJson: JSON.stringify(resource), scopeName, scopeVersion }
      const name = this.originNames.of(origin)
      const row = pointRow(point, name.bytes)
      const hour = hourOf(point.timeNs)
      const { high, low } = pointFingerprint(seeds.inHour(hour), row)
      if (!this.isNew(high, low)) continue
      this.useOrigins([origin], [name], ONE_USED)
      addPointRow(this.points, grid, name.bytes, row)
      this.count(gridId, hour, 'points')
    }
  }

  /** Appends everything within the caller's transaction. */
  appendTo(file: OpenFile, appenders: Map<OpenTable, DuckDBAppender>): Appended {
    this.addOriginRows(file)
    for (const [table, builder] of this.tables) {
      if (builder.isEmpty) continue
      const appender = appenders.get(table)
      if (!appender) throw new Error(`nothing takes the rows of ${table}`)
      const chunks = builder.take()
      for (const chunk of chunks) appender.appendDataChunk(chunk)
      appender.flushSync()
      builder.recycle(chunks)
    }
    const appended = { counts: this.counts, keys: this.keys.unconfirmed, spans: this.live.unconfirmed }
    this.counts = []
    return appended
  }

  /** The commit of what was appended succeeded. */
  confirm({ counts, keys, spans }: Appended, file: OpenFile): void {
    this.keys.confirm(keys)
    for (const count of counts) file.count(count)
    this.live.confirm(spans, file)
  }

  /** Forgets what is pending and what was appended and not confirmed, so that it is taken when it is sent again. */
  discard(): void {
    for (const [, builder] of this.tables) builder.take()
    this.usedOrigins.clear()
    this.counts = []
    this.keys.forgetUnconfirmed()
    this.live.forgetUnconfirmed()
  }

  /** From now on, records that the Grid has held, in one hour or at all, are new to it. */
  forget(gridId: string, hour?: number): void {
    this.seeds.change(gridId, hour)
    this.live.forget(gridId)
  }

  private liveOrigin(origin: Origin, { hex }: OriginName): LiveOrigin {
    const id = this.live.origins.of(hex, origin)
    return { id, service: this.live.texts.ofText(origin.serviceName) }
  }

  private isNew(high: number, low: number): boolean {
    const isNew = this.keys.add(high, low)
    if (!isNew) this.duplicates++
    return isNew
  }

  private useOrigins(origins: Origin[], names: OriginName[], used: Uint8Array): void {
    origins.forEach((origin, i) => {
      if (used[i]) this.usedOrigins.set((names[i] as OriginName).hex, origin)
    })
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

  private count(gridId: string, hour: number, table: RowTable): void {
    const last = this.counts.at(-1)
    if (last && last.hour === hour && last.table === table && last.gridId === gridId) last.rows++
    else this.counts.push({ gridId, hour, table, rows: 1 })
  }
}

/** An origin and its service, by their numbers in memory. */
interface LiveOrigin {
  id: number
  service: number
}

const ONE_USED = new Uint8Array([1])

function hourOfHalves(halves: Uint32Array, row: number): number {
  const high = (halves[row * 2 + 1] as number) | 0
  const ns = high * TWO_TO_32 + (halves[row * 2] as number)
  const hour = Math.floor(ns / NS_PER_HOUR_AS_DOUBLE)
  const intoHourNs = ns - hour * NS_PER_HOUR_AS_DOUBLE
  // A double has not all digits of the nanoseconds: near the border the exact arithmetic decides.
  if (intoHourNs > 1e6 && NS_PER_HOUR_AS_DOUBLE - intoHourNs > 1e6) return hour
  return hourOf((BigInt(high) << 32n) | BigInt(halves[row * 2] as number))
}
