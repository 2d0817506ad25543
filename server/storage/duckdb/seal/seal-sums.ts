import { BIGINT, BOOLEAN, TINYINT, UINTEGER, UTINYINT } from '@duckdb/node-api'
import { appendRows, putBigInt, putByte, putCount, putPair, putWord } from '../engine/append-rows.ts'
import { ChunkBuilder } from '../engine/chunk-builder.ts'
import type { Session } from '../engine/session.ts'
import { sealLatencies } from '../latencies/seal-latencies.ts'
import { CORRECTION, type Corrections } from '../live/corrections.ts'
import type { GroupSums } from '../live/group-sums.ts'
import {
  CALL_COLUMNS,
  durationSum,
  kindOfWord,
  type LiveHour,
  minuteOfWord,
  ORIGIN_COLUMNS,
  REQUEST_COLUMNS,
  roleOfWord,
} from '../live/live-hour.ts'
import { ANSWERED } from '../schema.ts'
import type { PlaceNumbers } from './place-numbers.ts'

const DURATION_MAX = (1n << 63n) - 1n

/** Adds the figures of an open file to its hour, within the caller's transaction. */
export async function sealSums(session: Session, alias: string, hour: LiveHour, numbers: PlaceNumbers): Promise<void> {
  await appendRows(session, alias, 'minute_requests', requestRows(hour.requests, numbers))
  await sealLatencies(session, alias, hour.latencies, numbers)
  await appendRows(session, alias, 'minute_calls', callRows(hour.calls, numbers))
  await appendRows(session, alias, 'minute_origins', originRows(hour.origins, numbers))
  await appendRows(session, alias, 'request_corrections', correctedRequests(hour.requestCorrections, numbers))
  await appendRows(session, alias, 'call_corrections', correctedCalls(hour.callCorrections, numbers))
}

/** What a row tells of a group: of the columns that are counts, this group's sums. */
interface Row {
  group: number
  count: (column: number) => number
  durationNs: bigint
}

/**
 * The rows of each group with anything left in it: what was added and taken away again is not worth one. A sum of durations that
 * 64 bits do not hold takes several.
 */
function* rowsOf(sums: GroupSums): Generator<Row> {
  for (let group = 0; group < sums.size; group++) {
    if (isNothing(sums, group)) continue
    let rest = durationSum(sums.sum(group, REQUEST_COLUMNS.low), sums.sum(group, REQUEST_COLUMNS.high))
    let count = (column: number) => sums.sum(group, column)
    do {
      const durationNs = rest > DURATION_MAX ? DURATION_MAX : rest < -DURATION_MAX ? -DURATION_MAX : rest
      yield { group, count, durationNs }
      rest -= durationNs
      count = () => 0
    } while (rest !== 0n)
  }
}

function isNothing(sums: GroupSums, group: number): boolean {
  for (let column = 0; column < sums.columns; column++) if (sums.sum(group, column) !== 0) return false
  return true
}

function requestRows(sums: GroupSums, { names }: PlaceNumbers): ChunkBuilder {
  const rows = new ChunkBuilder([
    UTINYINT,
    UINTEGER,
    UINTEGER,
    UTINYINT,
    UTINYINT,
    BIGINT,
    BIGINT,
    BIGINT,
    BIGINT,
    BIGINT,
  ])
  const { requests, errors, satisfied, tolerating } = REQUEST_COLUMNS
  for (const { group, count, durationNs } of rowsOf(sums)) {
    putOperation(rows, sums, group, names)
    putCount(rows, 5, count(requests))
    putCount(rows, 6, count(errors))
    putBigInt(rows, 7, durationNs)
    putCount(rows, 8, count(satisfied))
    putCount(rows, 9, count(tolerating))
    rows.endRow()
  }
  return rows
}

function putOperation(rows: ChunkBuilder, sums: GroupSums, group: number, names: Uint32Array): void {
  const word = sums.key(group, 0)
  putByte(rows, 0, minuteOfWord(word))
  putWord(rows, 1, names[sums.key(group, 1)] as number)
  putWord(rows, 2, names[sums.key(group, 2)] as number)
  putByte(rows, 3, kindOfWord(word))
  putByte(rows, 4, roleOfWord(word))
}

function callRows(sums: GroupSums, { names }: PlaceNumbers): ChunkBuilder {
  const rows = new ChunkBuilder([
    UTINYINT,
    UINTEGER,
    UTINYINT,
    UINTEGER,
    UINTEGER,
    UINTEGER,
    BIGINT,
    BIGINT,
    BIGINT,
    BIGINT,
  ])
  const { calls, errors, unanswered } = CALL_COLUMNS
  for (const { group, count, durationNs } of rowsOf(sums)) {
    const word = sums.key(group, 0)
    putByte(rows, 0, minuteOfWord(word))
    putWord(rows, 1, names[sums.key(group, 1)] as number)
    putByte(rows, 2, kindOfWord(word))
    for (const key of [2, 3, 4]) putWord(rows, key + 1, nameOrNone(names, sums.key(group, key)))
    putCount(rows, 6, count(calls))
    putCount(rows, 7, count(errors))
    putBigInt(rows, 8, durationNs)
    putCount(rows, 9, count(unanswered))
    rows.endRow()
  }
  return rows
}

function originRows(sums: GroupSums, { origins }: PlaceNumbers): ChunkBuilder {
  const rows = new ChunkBuilder([UTINYINT, UINTEGER, UTINYINT, UTINYINT, BIGINT, BIGINT, BIGINT])
  const { spans, errors } = ORIGIN_COLUMNS
  for (const { group, count, durationNs } of rowsOf(sums)) {
    const word = sums.key(group, 0)
    putByte(rows, 0, minuteOfWord(word))
    putWord(rows, 1, origins[sums.key(group, 1)] as number)
    putByte(rows, 2, kindOfWord(word))
    putByte(rows, 3, roleOfWord(word))
    putCount(rows, 4, count(spans))
    putCount(rows, 5, count(errors))
    putBigInt(rows, 6, durationNs)
    rows.endRow()
  }
  return rows
}

function correctedRequests(corrections: Corrections, { names, origins }: PlaceNumbers): ChunkBuilder {
  const rows = new ChunkBuilder([BIGINT, UINTEGER, UINTEGER, UINTEGER, UTINYINT, UTINYINT, BIGINT, UTINYINT, TINYINT])
  for (let row = 0; row < corrections.size; row++) {
    putTimes(rows, corrections, row, 0, 6)
    putWord(rows, 1, names[corrections.word(row, CORRECTION.service)] as number)
    putWord(rows, 2, names[corrections.word(row, CORRECTION.operation)] as number)
    putWord(rows, 3, origins[corrections.word(row, CORRECTION.origin)] as number)
    putByte(rows, 4, corrections.kind(row))
    putByte(rows, 5, corrections.status(row))
    putByte(rows, 7, corrections.role(row))
    putByte(rows, 8, corrections.n(row))
    rows.endRow()
  }
  return rows
}

function correctedCalls(corrections: Corrections, { names }: PlaceNumbers): ChunkBuilder {
  const rows = new ChunkBuilder([
    BIGINT,
    UINTEGER,
    UTINYINT,
    UTINYINT,
    BIGINT,
    UINTEGER,
    UINTEGER,
    UINTEGER,
    BOOLEAN,
    TINYINT,
  ])
  for (let row = 0; row < corrections.size; row++) {
    putTimes(rows, corrections, row, 0, 4)
    putWord(rows, 1, names[corrections.word(row, CORRECTION.service)] as number)
    putByte(rows, 2, corrections.kind(row))
    putByte(rows, 3, corrections.status(row))
    putWord(rows, 5, nameOrNone(names, corrections.word(row, CORRECTION.callee)))
    putWord(rows, 6, nameOrNone(names, corrections.word(row, CORRECTION.called)))
    putWord(rows, 7, nameOrNone(names, corrections.word(row, CORRECTION.dependency)))
    putByte(rows, 8, (corrections.role(row) & ANSWERED) !== 0 ? 1 : 0)
    putByte(rows, 9, corrections.n(row))
    rows.endRow()
  }
  return rows
}

function putTimes(rows: ChunkBuilder, corrections: Corrections, row: number, start: number, duration: number): void {
  putPair(rows, start, corrections.word(row, CORRECTION.startLow), corrections.word(row, CORRECTION.startHigh))
  putPair(rows, duration, corrections.word(row, CORRECTION.durationLow), corrections.word(row, CORRECTION.durationHigh))
}

/** The empty text names nobody. */
export function nameOrNone(names: Uint32Array, id: number): number {
  return id === 0 ? 0 : (names[id] as number)
}
