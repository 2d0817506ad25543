import { BLOB, type DuckDBType, UINTEGER, UTINYINT } from '@duckdb/node-api'
import { appendRows, putByte, putWord } from '../engine/append-rows.ts'
import { ChunkBuilder } from '../engine/chunk-builder.ts'
import type { Session } from '../engine/session.ts'
import { CountSums } from './count-sums.ts'
import { CountPacker } from './packed-counts.ts'

const SERIES: DuckDBType[] = [UINTEGER, UINTEGER, UTINYINT, UTINYINT]

/** What requests have in common that are counted together. Names are the file's own numbers. */
interface Place {
  service: number
  operation: number
  kind: number
  role: number
  minute: number
}

/** Makes the rows of an hour's latencies: one for each minute of a series, and one for all of the series. */
export class LatencyWriter {
  private readonly minuteRows = new ChunkBuilder([...SERIES, UTINYINT, BLOB])
  private readonly hourRows = new ChunkBuilder([...SERIES, BLOB])
  private readonly packer = new CountPacker()
  private readonly ofMinute = new CountSums()
  private readonly ofHour = new CountSums()
  private place: Place | undefined

  /** What is added from here on belongs there. The minutes of a series must come one after the other. */
  begin(service: number, operation: number, kind: number, role: number, minute: number): void {
    const { place } = this
    const isSameSeries =
      place?.service === service && place.operation === operation && place.kind === kind && place.role === role
    if (isSameSeries && place.minute === minute) return
    this.endMinute()
    if (!isSameSeries) this.endSeries()
    this.place = { service, operation, kind, role, minute }
  }

  add(bucket: number, count: number): void {
    this.ofMinute.add(bucket, count)
    this.ofHour.add(bucket, count)
  }

  /** Adds what was collected to an hour, within the caller's transaction if there is one. */
  async append(session: Session, alias: string, what: 'minutes' | 'minutes and hour'): Promise<void> {
    this.endMinute()
    this.endSeries()
    this.place = undefined
    await appendRows(session, alias, 'minute_latencies', this.minuteRows)
    if (what === 'minutes and hour') await appendRows(session, alias, 'hour_latencies', this.hourRows)
  }

  private endMinute(): void {
    const counts = this.packed(this.ofMinute)
    if (!this.place || counts.length === 0) return
    putSeries(this.minuteRows, this.place)
    putByte(this.minuteRows, 4, this.place.minute)
    this.minuteRows.putBytes(5, counts)
    this.minuteRows.endRow()
  }

  private endSeries(): void {
    const counts = this.packed(this.ofHour)
    if (!this.place || counts.length === 0) return
    putSeries(this.hourRows, this.place)
    this.hourRows.putBytes(4, counts)
    this.hourRows.endRow()
  }

  private packed(sums: CountSums): Uint8Array {
    sums.take((bucket, count) => this.packer.add(bucket, count))
    return this.packer.take()
  }
}

function putSeries(rows: ChunkBuilder, { service, operation, kind, role }: Place): void {
  putWord(rows, 0, service)
  putWord(rows, 1, operation)
  putByte(rows, 2, kind)
  putByte(rows, 3, role)
}
