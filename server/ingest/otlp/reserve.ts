import type { TextColumn } from '../../domain/columns/text-column.ts'
import { MalformedRequest } from '../ingest.ts'
import { COLUMN_BYTES_MAX } from './limits.ts'

/** Makes room for `count` more bytes, but not without a bound. */
export function reserve(column: TextColumn, count: number): void {
  const needed = column.byteLength + count
  if (needed <= column.bytes.length) return
  if (needed > COLUMN_BYTES_MAX) {
    throw new MalformedRequest(
      `the request becomes more than ${COLUMN_BYTES_MAX / 1024 / 1024} MiB of text: send less at once`,
    )
  }
  column.reserve(count)
}
