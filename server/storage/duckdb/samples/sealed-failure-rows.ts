import type { ChunkCells } from '../engine/chunk-cells.ts'
import type { FailureColumns } from './kept-failures.ts'
import { shortened, spanNumbers } from './span-numbers.ts'

/** Failed spans of several files, as one statement told them. */
export interface SealedFailureRows extends FailureColumns {
  count: number
  /** Which file they are of; a statement may have rows of other sorts behind those of the last file. */
  place: Uint32Array
  telling: Float64Array
}

/** How many columns that is: whatever else a statement tells comes behind them. */
export const SEALED_FAILURE_COLUMNS = 11

/** What stands behind SELECT for failed spans of the file at a place, whose hour begins then. */
export function sealedFailureColumns(place: number, hourStartNs: bigint): string {
  return `${place}::UINTEGER AS place, rowid::DOUBLE AS row, ${spanNumbers('trace_key', hourStartNs)}, service_no, operation_no,
    ${shortened('telling')} AS telling`
}

/** The same for rows of another sort, which have a number or a telling, or neither. */
export function otherColumns(place: number, { row = '0', telling = '0' }: { row?: string; telling?: string }): string {
  return `${place}::UINTEGER, ${row}::DOUBLE, 0, 0, 0, 0, 0, 0::UTINYINT, 0::UINTEGER, 0::UINTEGER, ${telling}`
}

export function sealedFailureRows(cells: ChunkCells): SealedFailureRows {
  return {
    count: cells.rows,
    place: cells.words(0),
    row: cells.doubles(1),
    trace: cells.doubles(2),
    span: cells.doubles(3),
    parent: cells.doubles(4),
    sinceHourNs: cells.doubles(5),
    durationNs: cells.doubles(6),
    kind: cells.bytes(7),
    service: cells.words(8),
    operation: cells.words(9),
    telling: cells.doubles(10),
  }
}
