import type { TextColumn } from '../../domain/columns/text-column.ts'
import { writeAscii, writeByte } from './json-text.ts'
import { reserve } from './reserve.ts'

const TWO_32 = 0x1_0000_0000
const INT32_MAX = 0x7fff_ffff
const BILLION = 1_000_000_000
const ZERO = 0x30
const MINUS = 0x2d
const QUOTE = 0x22
/** The high half of 2^53. */
const UNSAFE_HI = 0x20_0000

/** Writes a two's complement 64-bit integer: as a number where JavaScript can hold it, else as a JSON string. */
export function writeInt64(column: TextColumn, hi: number, lo: number): void {
  const negative = hi >= 0x8000_0000
  const magnitudeLo = negative ? -lo >>> 0 : lo
  const magnitudeHi = negative ? (~hi + (lo === 0 ? 1 : 0)) >>> 0 : hi
  const safe = magnitudeHi < UNSAFE_HI
  if (!safe) writeByte(column, QUOTE)
  if (negative) writeByte(column, MINUS)
  if (safe) writeInteger(column, magnitudeHi * TWO_32 + magnitudeLo)
  else writeUint64(column, magnitudeHi, magnitudeLo)
  if (!safe) writeByte(column, QUOTE)
}

/** Writes the decimal digits of an unsigned 64-bit integer. */
export function writeUint64(column: TextColumn, hi: number, lo: number): void {
  // Long division by 10^9 in steps of 16 bits, each of which a double holds exactly.
  const upper = (hi % BILLION) * 0x1_0000 + (lo >>> 16)
  const lower = (upper % BILLION) * 0x1_0000 + (lo & 0xffff)
  const quotient =
    Math.floor(hi / BILLION) * TWO_32 + Math.floor(upper / BILLION) * 0x1_0000 + Math.floor(lower / BILLION)
  if (quotient > 0) writeInteger(column, quotient)
  if (quotient > 0) writeDigits(column, lower % BILLION, 9)
  else writeInteger(column, lower)
}

/** Writes a double in its shortest form; what JSON has no number for becomes a string. */
export function writeDouble(column: TextColumn, value: number): void {
  if (Number.isFinite(value)) writeAscii(column, String(value))
  else writeAscii(column, `"${value}"`)
}

/** Writes an integer from 0 to 2^53 - 1. */
export function writeInteger(column: TextColumn, value: number): void {
  let count = 1
  for (let bound = 10; value >= bound; bound *= 10) count++
  writeDigits(column, value, count)
}

function writeDigits(column: TextColumn, value: number, count: number): void {
  reserve(column, count)
  const target = column.bytes
  let at = column.byteLength + count
  column.byteLength = at
  let rest = value
  let left = count
  for (; rest > INT32_MAX; left--) {
    const next = Math.floor(rest / 10)
    target[--at] = ZERO + (rest - next * 10)
    rest = next
  }
  // Integers of 32 bits are divided several times as fast.
  for (let small = rest | 0; left > 0; left--) {
    const next = (small / 10) | 0
    target[--at] = ZERO + (small - next * 10)
    small = next
  }
}
