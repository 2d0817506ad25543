import { BIGINT, BOOLEAN, HUGEINT, TINYINT, UINTEGER, UTINYINT } from '@duckdb/node-api'
import { appendRows, putByte, putCount, putHuge, putPair, putWord } from './append-rows.ts'
import { ChunkBuilder } from './chunk-builder.ts'
import { CORRECTION, type Corrections } from './live/corrections.ts'
import type { GroupSums } from './live/group-sums.ts'
import {
  CALL_COLUMNS,
  durationSum,
  kindOfWord,
  type LiveHour,
  minuteOfWord,
  ORIGIN_COLUMNS,
  REQUEST_COLUMNS,
  roleOfWord,
} from './live/live-hour.ts'
import type { PlaceNumbers } from './place-numbers.ts'
import { ANSWERED } from './schema.ts'
import { sealLatencies } from './seal-latencies.ts'
import type { Session } from './session.ts'

/** Adds the figures of an open file to its hour, within the caller's transaction. */
export async function sealSums(session: Session, alias: string, hour: LiveHour, numbers: PlaceNumbers): Promise<void> {
  await appendRows(session, alias, 'minute_requests', requestRows(hour.requests, numbers))
  await sealLatencies(session, alias, hour.latencies, numbers)
  await appendRows(session, alias, 'minute_calls', callRows(hour.calls, numbers))
  await appendRows(session, alias, 'minute_origins', originRows(hour.origins, numbers))
  await appendRows(session, alias, 'request_corrections', correctedRequests(hour.requestCorrections, numbers))
  await appendRows(session, alias, 'call_corrections', correctedCalls(hour.callCorrections, numbers))
}

/** Groups with anything left in them: what was added and taken away again is not worth a row. */
function* groups({ size, sums, columns }: GroupSums): Generator<number> {
  for (let group = 0; group < size; group++)
    for (let i = group * columns; i < (group + 1) * columns; i++)
      if (sums[i] !== 0) {
        yield group
        break
      }
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
    HUGEINT,
    BIGINT,
    BIGINT,
  ])
  const { requests, errors, low, high, satisfied, tolerating } = REQUEST_COLUMNS
  for (const group of groups(sums)) {
    putOperation(rows, sums, group, names)
    putCount(rows, 5, sums.sum(group, requests))
    putCount(rows, 6, sums.sum(group, errors))
    putHuge(rows, 7, durationSum(sums.sum(group, low), sums.sum(group, high)))
    putCount(rows, 8, sums.sum(group, satisfied))
    putCount(rows, 9, sums.sum(group, tolerating))
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
    HUGEINT,
    BIGINT,
  ])
  const { calls, errors, low, high, unanswered } = CALL_COLUMNS
  for (const group of groups(sums)) {
    const word = sums.key(group, 0)
    putByte(rows, 0, minuteOfWord(word))
    putWord(rows, 1, names[sums.key(group, 1)] as number)
    putByte(rows, 2, kindOfWord(word))
    for (const key of [2, 3, 4]) putWord(rows, key + 1, nameOrNone(names, sums.key(group, key)))
    putCount(rows, 6, sums.sum(group, calls))
    putCount(rows, 7, sums.sum(group, errors))
    putHuge(rows, 8, durationSum(sums.sum(group, low), sums.sum(group, high)))
    putCount(rows, 9, sums.sum(group, unanswered))
    rows.endRow()
  }
  return rows
}

function originRows(sums: GroupSums, { origins }: PlaceNumbers): ChunkBuilder {
  const rows = new ChunkBuilder([UTINYINT, UINTEGER, UTINYINT, UTINYINT, BIGINT, BIGINT, HUGEINT])
  const { spans, errors, low, high } = ORIGIN_COLUMNS
  for (const group of groups(sums)) {
    const word = sums.key(group, 0)
    putByte(rows, 0, minuteOfWord(word))
    putWord(rows, 1, origins[sums.key(group, 1)] as number)
    putByte(rows, 2, kindOfWord(word))
    putByte(rows, 3, roleOfWord(word))
    putCount(rows, 4, sums.sum(group, spans))
    putCount(rows, 5, sums.sum(group, errors))
    putHuge(rows, 6, durationSum(sums.sum(group, low), sums.sum(group, high)))
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
