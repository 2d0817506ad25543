import { BLOB, UINTEGER, UTINYINT } from '@duckdb/node-api'
import { appendRows, putByte, putWord } from '../engine/append-rows.ts'
import { ChunkBuilder } from '../engine/chunk-builder.ts'
import type { Session } from '../engine/session.ts'
import { CountSums } from './count-sums.ts'
import { CountPacker } from './packed-counts.ts'

/** What requests have in common that are counted together. Names are the file's own numbers. */
interface Place {
  service: number
  operation: number
  kind: number
  role: number
  minute: number
}

/** Makes the rows of an hour's latencies: one for each minute of a series. */
export class LatencyWriter {
  private readonly rows = new ChunkBuilder([UINTEGER, UINTEGER, UTINYINT, UTINYINT, UTINYINT, BLOB])
  private readonly packer = new CountPacker()
  private readonly sums = new CountSums()
  private place: Place | undefined

  /** What is added from here on belongs there. */
  begin(service: number, operation: number, kind: number, role: number, minute: number): void {
    const { place } = this
    const isSameSeries =
      place?.service === service && place.operation === operation && place.kind === kind && place.role === role
    if (isSameSeries && place.minute === minute) return
    this.endMinute()
    this.place = { service, operation, kind, role, minute }
  }

  add(bucket: number, count: number): void {
    this.sums.add(bucket, count)
  }

  /** Adds what was collected to an hour, within the caller's transaction if there is one. */
  async append(session: Session, alias: string): Promise<void> {
    this.endMinute()
    this.place = undefined
    await appendRows(session, alias, 'minute_latencies', this.rows)
  }

  private endMinute(): void {
    this.sums.take((bucket, count) => this.packer.add(bucket, count))
    const counts = this.packer.take()
    if (!this.place || counts.length === 0) return
    const { service, operation, kind, role, minute } = this.place
    putWord(this.rows, 0, service)
    putWord(this.rows, 1, operation)
    putByte(this.rows, 2, kind)
    putByte(this.rows, 3, role)
    putByte(this.rows, 4, minute)
    this.rows.putBytes(5, counts)
    this.rows.endRow()
  }
}
