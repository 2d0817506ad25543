import { BYTES, FIXED64, type MessageShape, tagOf, VARINT, WireReader } from './wire-reader.ts'

const ANY_VALUE: MessageShape = {
  name: 'AnyValue',
  fields: {
    1: 'string_value',
    2: 'bool_value',
    3: 'int_value',
    4: 'double_value',
    5: 'array_value',
    6: 'kvlist_value',
    7: 'bytes_value',
  },
}

export const STRING_VALUE = tagOf(1, BYTES)
export const BOOL_VALUE = tagOf(2, VARINT)
export const INT_VALUE = tagOf(3, VARINT)
export const DOUBLE_VALUE = tagOf(4, FIXED64)
export const ARRAY_VALUE = tagOf(5, BYTES)
export const KVLIST_VALUE = tagOf(6, BYTES)
export const BYTES_VALUE = tagOf(7, BYTES)

export function isValueTag(tag: number): boolean {
  return (
    tag === STRING_VALUE ||
    tag === BOOL_VALUE ||
    tag === INT_VALUE ||
    tag === DOUBLE_VALUE ||
    tag === ARRAY_VALUE ||
    tag === KVLIST_VALUE ||
    tag === BYTES_VALUE
  )
}

export interface FoundValue {
  /** 0 where the AnyValue has no value. */
  tag: number
  /** Where the first of the fields stands that together are the value, with its tag. */
  start: number
  /** More than 1 only where a list was sent in parts. */
  parts: number
}

/** Which of its values an AnyValue has: the last one that was sent. Reads from `pos` to `end`. */
export function findValue(reader: WireReader): FoundValue {
  const found = { tag: 0, start: reader.pos, parts: 0 }
  for (;;) {
    const start = reader.pos
    const tag = reader.tag()
    if (tag === 0) return found
    if (!isValueTag(tag)) {
      reader.skip(tag, ANY_VALUE)
      continue
    }
    reader.skipField(tag)
    const continues = tag === found.tag && (tag === ARRAY_VALUE || tag === KVLIST_VALUE)
    if (!continues) found.start = start
    found.parts = continues ? found.parts + 1 : 1
    found.tag = tag
  }
}

/**
 * A reader of one message that was sent in parts: the fields with this tag between `start` and the reader's end. In
 * protobuf their bytes in a row are the whole message.
 */
export function joined(reader: WireReader, start: number, tag: number): WireReader {
  let length = 0
  eachPart(reader, start, tag, (from, to) => {
    length += to - from
  })
  const whole = new Uint8Array(length)
  let at = 0
  eachPart(reader, start, tag, (from, to) => {
    whole.set(reader.bytes.subarray(from, to), at)
    at += to - from
  })
  return new WireReader(whole, reader.request)
}

function eachPart(reader: WireReader, start: number, tag: number, visit: (from: number, to: number) => void): void {
  reader.pos = start
  for (let next = reader.tag(); next !== 0; next = reader.tag()) {
    if (next !== tag) {
      reader.skipField(next)
      continue
    }
    const end = reader.fieldEnd()
    visit(reader.pos, end)
    reader.pos = end
  }
}
