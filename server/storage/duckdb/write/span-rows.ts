import { BIGINT, UBIGINT, UINTEGER, UTINYINT, UUID, VARCHAR } from '@duckdb/node-api'
import type { SpanColumns } from '../../../domain/columns/span-columns.ts'
import { ChunkBuilder } from '../engine/chunk-builder.ts'
import { fingerprint, fingerprintOf, mixBytes } from './fingerprint.ts'

/** In the order of the open file's table `spans`. */
export function createSpanChunks(): ChunkBuilder {
  const fixed = [UUID, UUID, UBIGINT, UBIGINT, BIGINT, BIGINT, UTINYINT, UTINYINT, UINTEGER, UINTEGER, UBIGINT]
  return new ChunkBuilder([
    ...fixed,
    VARCHAR,
    VARCHAR,
    VARCHAR,
    VARCHAR,
    VARCHAR,
    VARCHAR,
    UBIGINT,
    VARCHAR,
    VARCHAR,
    UTINYINT,
  ])
}

export function spanFingerprint(seeds: Uint32Array, spans: SpanColumns, row: number): typeof fingerprint {
  fingerprintOf(seeds, spans.traceIds, row * 16, 16)
  mixBytes(spans.spanIds, row * 8, 8)
  return fingerprint
}

/** Adds rows `first` to `end` of the spans; `origins` are the hashes of theirs. */
export function addSpanRows(
  chunks: ChunkBuilder,
  grid: Uint8Array,
  origins: Uint8Array[],
  spans: SpanColumns,
  first: number,
  end: number,
): void {
  for (let row = first; row < end; ) {
    const count = Math.min(chunks.room, end - row)
    addTexts(chunks, spans, row, count)
    for (const last = row + count; row < last; row++) addSpanRow(chunks, grid, origins, spans, row)
  }
}

function addTexts(chunks: ChunkBuilder, spans: SpanColumns, first: number, count: number): void {
  chunks.putTexts(11, spans.operations, first, count)
  chunks.putTexts(12, spans.statusMessages, first, count)
  chunks.putTexts(13, spans.traceStates, first, count)
  chunks.putTexts(14, spans.attributes, first, count)
  chunks.putTexts(15, spans.events, first, count)
  chunks.putTexts(16, spans.links, first, count)
  chunks.putTexts(18, spans.calledNames, first, count)
  chunks.putTexts(19, spans.dependencies, first, count)
}

function addSpanRow(
  chunks: ChunkBuilder,
  grid: Uint8Array,
  origins: Uint8Array[],
  spans: SpanColumns,
  row: number,
): void {
  const at = chunks.row
  chunks.putUuid(0, grid, 0)
  chunks.putUuid(1, spans.traceIds, row * 16)
  chunks.putReversed(2, spans.spanIds, row * 8, 8)
  chunks.putReversed(3, spans.parentIds, row * 8, 8)
  putHalves(chunks, 4, spans.startNsHalves, row)
  putHalves(chunks, 5, spans.durationNsHalves, row)
  const { cells, words } = chunks
  ;(cells[6] as Uint8Array)[at] = spans.kinds[row] as number
  ;(cells[7] as Uint8Array)[at] = spans.statuses[row] as number
  ;(words[8] as Uint32Array)[at] = spans.flags[row] as number
  ;(words[9] as Uint32Array)[at] = spans.droppedAttributes[row] as number
  chunks.putReversed(10, origins[spans.originIndexes[row] as number] as Uint8Array, 0, 8)
  putHalves(chunks, 17, spans.keySetHalves, row)
  ;(cells[20] as Uint8Array)[at] = spans.receives[row] as number
  chunks.endRow()
}

export function putHalves(chunks: ChunkBuilder, column: number, halves: Uint32Array, row: number): void {
  const words = chunks.words[column] as Uint32Array
  words[chunks.row * 2] = halves[row * 2] as number
  words[chunks.row * 2 + 1] = halves[row * 2 + 1] as number
}
