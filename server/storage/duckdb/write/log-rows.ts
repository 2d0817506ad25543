import { BIGINT, UBIGINT, UINTEGER, UTINYINT, UUID, VARCHAR } from '@duckdb/node-api'
import type { LogColumns } from '../../../domain/columns/log-columns.ts'
import { ChunkBuilder } from '../engine/chunk-builder.ts'
import { fingerprint, fingerprintOf } from './fingerprint.ts'
import { putHalves } from './span-rows.ts'

/** In the order of the open file's table `logs`. */
export function createLogChunks(): ChunkBuilder {
  const fixed = [UUID, UUID, UUID, UBIGINT, BIGINT, BIGINT, UTINYINT, UINTEGER, UINTEGER, UBIGINT]
  return new ChunkBuilder([...fixed, VARCHAR, VARCHAR, VARCHAR, VARCHAR, UBIGINT, VARCHAR])
}

export function logFingerprint(seeds: Uint32Array, logs: LogColumns, row: number): typeof fingerprint {
  fingerprintOf(seeds, logs.ids, row * 16, 16)
  return fingerprint
}

/** Adds rows `first` to `end` of the records; `origins` are the hashes of theirs. */
export function addLogRows(
  chunks: ChunkBuilder,
  grid: Uint8Array,
  origins: Uint8Array[],
  logs: LogColumns,
  first: number,
  end: number,
): void {
  for (let row = first; row < end; ) {
    const count = Math.min(chunks.room, end - row)
    chunks.putTexts(10, logs.severityTexts, row, count)
    chunks.putTexts(11, logs.bodies, row, count)
    chunks.putTexts(12, logs.eventNames, row, count)
    chunks.putTexts(13, logs.attributes, row, count)
    chunks.putTexts(15, logs.templates, row, count)
    for (const last = row + count; row < last; row++) addLogRow(chunks, grid, origins, logs, row)
  }
}

function addLogRow(chunks: ChunkBuilder, grid: Uint8Array, origins: Uint8Array[], logs: LogColumns, row: number): void {
  const at = chunks.row
  chunks.putUuid(0, grid, 0)
  chunks.putUuid(1, logs.ids, row * 16)
  chunks.putUuid(2, logs.traceIds, row * 16)
  chunks.putReversed(3, logs.spanIds, row * 8, 8)
  putHalves(chunks, 4, logs.timeNsHalves, row)
  putHalves(chunks, 5, logs.observedNsHalves, row)
  const { cells, words } = chunks
  ;(cells[6] as Uint8Array)[at] = logs.severityNumbers[row] as number
  ;(words[7] as Uint32Array)[at] = logs.flags[row] as number
  ;(words[8] as Uint32Array)[at] = logs.droppedAttributes[row] as number
  chunks.putReversed(9, origins[logs.originIndexes[row] as number] as Uint8Array, 0, 8)
  putHalves(chunks, 14, logs.keySetHalves, row)
  chunks.endRow()
}
