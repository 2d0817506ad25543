import { BIGINT, DOUBLE, UBIGINT, UINTEGER, UUID, VARCHAR } from '@duckdb/node-api'
import type { MetricPoint, PointValue } from '../../../domain/metric-point.ts'
import { ChunkBuilder } from '../engine/chunk-builder.ts'
import { contentHash, fingerprint, fingerprintOf, mixBytes } from './fingerprint.ts'

/** In the order of the open file's table `points`. */
export function createPointChunks(): ChunkBuilder {
  return new ChunkBuilder([UUID, UUID, BIGINT, BIGINT, UBIGINT, UINTEGER, DOUBLE, VARCHAR, VARCHAR, VARCHAR])
}

/** What a point says of its metric, kept once per series when it is sealed. */
function metricJson(point: MetricPoint): string {
  const { name, description, unit, type, temporality, monotonic } = point
  return JSON.stringify({ name, description, unit, type, temporality, monotonic })
}

export interface PointRow {
  point: MetricPoint
  metric: string
  attributes: string
  series: Uint8Array
  time: Uint8Array
}

export function pointRow(point: MetricPoint, origin: Uint8Array): PointRow {
  const metric = metricJson(point)
  const attributes = JSON.stringify(point.attributes)
  const time = Buffer.alloc(8)
  time.writeBigInt64BE(point.timeNs)
  const { name, type, unit, temporality, monotonic } = point
  const kind = [type, unit, temporality, monotonic].join(' ')
  const series = contentHash(Buffer.from(origin).toString('hex'), name, kind, attributes)
  return { point, metric, attributes, series, time }
}

export function pointFingerprint(seeds: Uint32Array, row: PointRow): typeof fingerprint {
  fingerprintOf(seeds, row.series, 0, 16)
  mixBytes(row.time, 0, 8)
  return fingerprint
}

/** A plain number stands in its own column; a value that is none there is JSON, and one never recorded is neither. */
export function addPointRow(chunks: ChunkBuilder, grid: Uint8Array, origin: Uint8Array, row: PointRow): void {
  const { point } = row
  const at = chunks.row
  chunks.putUuid(0, grid, 0)
  chunks.putUuid(1, row.series, 0)
  viewOf(chunks, 2).setBigInt64(at * 8, point.timeNs, true)
  viewOf(chunks, 3).setBigInt64(at * 8, point.startNs, true)
  chunks.putReversed(4, origin, 0, 8)
  ;(chunks.words[5] as Uint32Array)[at] = point.flags
  viewOf(chunks, 6).setFloat64(at * 8, typeof point.value === 'number' ? point.value : 0, true)
  chunks.putBytes(7, Buffer.from(row.metric))
  chunks.putBytes(8, Buffer.from(row.attributes))
  const detail = detailOf(point.value)
  if (detail !== '') chunks.putBytes(9, Buffer.from(detail))
  chunks.endRow()
}

function viewOf(chunks: ChunkBuilder, column: number): DataView {
  return new DataView((chunks.cells[column] as Uint8Array).buffer)
}

export function detailOf(value: PointValue | null): string {
  if (typeof value === 'number') return ''
  if (typeof value === 'bigint') return JSON.stringify({ integer: String(value) })
  return JSON.stringify(value, (_, part) => (isUnwritable(part) ? String(part) : part))
}

/** Numbers that JSON has no form for are kept as texts; no other texts occur but decimal digits. */
const UNWRITABLE = new Set<unknown>(['NaN', 'Infinity', '-Infinity'])

function isUnwritable(part: unknown): boolean {
  return typeof part === 'number' && !Number.isFinite(part)
}

/** The value that a row's two columns stand for. */
export function pointValueOf(number: number, detail: string): PointValue | null {
  if (detail === '') return number
  const value = JSON.parse(detail, (_, part) => (UNWRITABLE.has(part) ? Number(part) : part)) as
    | null
    | { integer: string }
    | Exclude<PointValue, number | bigint>
  return value !== null && 'integer' in value ? BigInt(value.integer) : value
}
