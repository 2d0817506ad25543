import { UBIGINT, VARCHAR } from '@duckdb/node-api'
import { STATUS_ERROR } from '../../../domain/span.ts'
import { putCount } from '../engine/append-rows.ts'
import { ChunkBuilder } from '../engine/chunk-builder.ts'
import { CONSUMER } from '../live/span-kinds.ts'
import type { Segment } from '../live/span-ring.ts'
import type { TextIds } from '../live/text-ids.ts'

/** How often each service, operation and status occurs among spans: most of what the filter options are made from. */
export class SpanUsage {
  failed = 0
  consumers = 0
  private spans = 0
  /** By the number of a text. */
  private readonly services: Uint32Array
  private readonly operations: Uint32Array

  constructor(textsEnd: number) {
    this.services = new Uint32Array(textsEnd)
    this.operations = new Uint32Array(textsEnd)
  }

  add(segment: Segment, row: number): void {
    this.spans++
    if (segment.status[row] === STATUS_ERROR) this.failed++
    if (segment.kind[row] === CONSUMER) this.consumers++
    const [service, operation] = [segment.service[row] as number, segment.operation[row] as number]
    this.services[service] = (this.services[service] as number) + 1
    this.operations[operation] = (this.operations[operation] as number) + 1
  }

  /** As the table `usage` has them. */
  rows(texts: TextIds): ChunkBuilder {
    const rows = new ChunkBuilder([VARCHAR, VARCHAR, UBIGINT])
    for (const [id, uses] of this.services.entries()) putUse(rows, 'service', texts.bytesOf(id), uses)
    for (const [id, uses] of this.operations.entries()) putUse(rows, 'operation', texts.bytesOf(id), uses)
    putUse(rows, 'status', Buffer.from('ERROR'), this.failed)
    putUse(rows, 'status', Buffer.from('OK'), this.spans - this.failed)
    return rows
  }
}

function putUse(rows: ChunkBuilder, kind: string, name: Uint8Array, uses: number): void {
  if (uses === 0) return
  rows.putBytes(0, Buffer.from(kind))
  rows.putBytes(1, name)
  putCount(rows, 2, uses)
  rows.endRow()
}
