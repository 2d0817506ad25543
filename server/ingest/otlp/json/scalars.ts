import type { ProtoWriter } from '../proto-writer.ts'
import { BYTES, FIXED32, FIXED64, VARINT } from '../wire-reader.ts'

/** Knows which JSON values a type of protobuf takes, in words, and how they go onto the wire. */
export interface ScalarWriter {
  expected: string
  wireType: number
  /** False where the value is not of the type; nothing has been written then. */
  write(writer: ProtoWriter, value: unknown): boolean
}

const NOT_HEX = /[^0-9a-fA-F]/
const NOT_BASE64 = /[^A-Za-z0-9+/_=-]/
const INTEGER = /^-?[0-9]{1,20}$/
const DOUBLE = /^(?:-?[0-9]{1,400}(?:\.[0-9]{1,400})?(?:[eE][+-]?[0-9]{1,4})?|NaN|-?Infinity)$/

const UINT64_MAX = 2n ** 64n - 1n
const INT64_MIN = -(2n ** 63n)
const INT64_MAX = 2n ** 63n - 1n
const UNSIGNED = 'an unsigned integer'
const SIGNED = 'an integer'

export const SCALARS = {
  string: { expected: 'a string', wireType: BYTES, write: writeString },
  bool: { expected: 'true or false', wireType: VARINT, write: writeBool },
  double: { expected: 'a number', wireType: FIXED64, write: writeDouble },
  hex: { expected: 'hex digits, two for each byte', wireType: BYTES, write: writeHex },
  base64: { expected: 'bytes in base64', wireType: BYTES, write: writeBase64 },
  int64: integer(SIGNED, VARINT, INT64_MIN, INT64_MAX, (writer, value) => writer.varint64(value)),
  uint64: integer(UNSIGNED, VARINT, 0n, UINT64_MAX, (writer, value) => writer.varint64(value)),
  fixed64: integer(UNSIGNED, FIXED64, 0n, UINT64_MAX, (writer, value) => writer.fixed64(value)),
  sfixed64: integer(SIGNED, FIXED64, INT64_MIN, INT64_MAX, (writer, value) => writer.fixed64(value)),
  uint32: integer(UNSIGNED, VARINT, 0n, 0xffff_ffffn, (writer, value) => writer.varint64(value)),
  sint32: integer(SIGNED, VARINT, -0x8000_0000n, 0x7fff_ffffn, writeZigzag),
  fixed32: integer(UNSIGNED, FIXED32, 0n, 0xffff_ffffn, (writer, value) => writer.fixed32(Number(value))),
} satisfies Record<string, ScalarWriter>

/** Enums are numbers; their names, each at its number in `names`, are taken too. */
export function enumWriter(names: readonly string[]): ScalarWriter {
  const write = (writer: ProtoWriter, value: unknown) => {
    const code = typeof value === 'string' ? names.indexOf(value) : value
    if (!Number.isInteger(code) || (typeof value === 'string' && code === -1)) return false
    writer.varint64(BigInt.asIntN(32, BigInt(code as number)))
    return true
  }
  return { expected: `a number or a name such as ${names.at(-1)}`, wireType: VARINT, write }
}

function integer(
  expected: string,
  wireType: number,
  min: bigint,
  max: bigint,
  put: (writer: ProtoWriter, value: bigint) => void,
): ScalarWriter {
  const write = (writer: ProtoWriter, value: unknown) => {
    const number = bigintOf(value)
    if (number === undefined || number < min || number > max) return false
    put(writer, number)
    return true
  }
  return { expected, wireType, write }
}

function bigintOf(value: unknown): bigint | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : undefined
  return typeof value === 'string' && INTEGER.test(value) ? BigInt(value) : undefined
}

function writeZigzag(writer: ProtoWriter, value: bigint): void {
  writer.varint64(value < 0n ? -value * 2n - 1n : value * 2n)
}

function writeString(writer: ProtoWriter, value: unknown): boolean {
  if (typeof value !== 'string') return false
  writer.string(value)
  return true
}

function writeBool(writer: ProtoWriter, value: unknown): boolean {
  if (typeof value !== 'boolean') return false
  writer.varint(value ? 1 : 0)
  return true
}

function writeDouble(writer: ProtoWriter, value: unknown): boolean {
  if (typeof value !== 'number' && !(typeof value === 'string' && DOUBLE.test(value))) return false
  writer.double(Number(value))
  return true
}

function writeHex(writer: ProtoWriter, value: unknown): boolean {
  if (typeof value !== 'string' || value.length % 2 !== 0 || NOT_HEX.test(value)) return false
  writer.blob(Buffer.from(value, 'hex'))
  return true
}

function writeBase64(writer: ProtoWriter, value: unknown): boolean {
  if (typeof value !== 'string' || NOT_BASE64.test(value)) return false
  writer.blob(Buffer.from(value, 'base64'))
  return true
}
