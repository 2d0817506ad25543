import type { Signal } from '../../ingest/ingest.ts'
import { messageOf } from '../failure.ts'
import type { ByteSource } from './byte-source.ts'
import { countInProtobuf } from './count-records.ts'
import { type Bytes, PART_BYTES_MAX, type Part, type UnreadablePart } from './part.ts'

/** `delimited`: each message behind its length as a varint; `fixed`: behind 4 bytes, as the Collector's file exporter does. */
type Framing = 'single' | 'delimited' | 'fixed'

/** Tag of the only field that an export request has: a list of resources with what came from them. */
const RESOURCE_TAG = 0x0a
const VARINT_BYTES_MAX = 10

/** The file cannot be read beyond this point. */
class BrokenOff extends Error {}

export async function* protobufParts(
  source: ByteSource,
  file: string,
  signal: Signal,
): AsyncGenerator<Part | UnreadablePart> {
  const framing = framingOf(await source.peek(5))
  for (let number = 1; ; number++) {
    const where = `${file}, ${framing === 'single' ? 'resource' : 'message'} ${number}, byte ${source.offset}`
    try {
      const bytes = await NEXT[framing](source)
      if (bytes === undefined) return
      if (bytes.length > 0) yield partOf(bytes, signal, where)
    } catch (error) {
      if (!(error instanceof BrokenOff)) throw error
      yield { where, problem: error.message }
      return
    }
  }
}

/**
 * A message begins with the tag of its only field, behind which comes a length. A length of 10 looks the same, but no
 * message with telemetry in it is that short; one of under 16 MiB in 4 bytes begins with a zero.
 */
function framingOf(start: Uint8Array): Framing {
  if (start[0] === RESOURCE_TAG) return 'single'
  return start[0] === 0 && start[4] === RESOURCE_TAG ? 'fixed' : 'delimited'
}

const NEXT: Record<Framing, (source: ByteSource) => Promise<Bytes | undefined>> = {
  /** A message of one resource only, so that a large file need not be held as a whole. */
  async single(source) {
    const start = await source.peek(1 + VARINT_BYTES_MAX)
    if (start.length === 0) return undefined
    if (start[0] !== RESOURCE_TAG) throw new BrokenOff('this is not an export request of OTLP')
    const length = lengthAt(start, 1)
    return taken(source, length.end + length.value)
  },
  async delimited(source) {
    const start = await source.peek(VARINT_BYTES_MAX)
    if (start.length === 0) return undefined
    const length = lengthAt(start, 0)
    await source.take(length.end)
    return taken(source, length.value)
  },
  async fixed(source) {
    const start = await source.take(4)
    if (start.length === 0) return undefined
    if (start.length < 4) throw new BrokenOff('the file ends within a length')
    return taken(source, new DataView(start.buffer).getUint32(0))
  },
}

async function taken(source: ByteSource, length: number): Promise<Bytes> {
  if (length > PART_BYTES_MAX) throw new BrokenOff(`a message is longer than ${PART_BYTES_MAX / 2 ** 20} MiB`)
  const bytes = await source.take(length)
  if (bytes.length < length) throw new BrokenOff('the file ends within a message')
  return bytes
}

function lengthAt(bytes: Uint8Array, start: number): { value: number; end: number } {
  let value = 0
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    value += (byte & 0x7f) * 2 ** (7 * (at - start))
    if (byte < 0x80) return { value, end: at + 1 }
  }
  throw new BrokenOff('this is not an export request of OTLP')
}

function partOf(bytes: Bytes, signal: Signal, where: string): Part | UnreadablePart {
  try {
    return { signal, encoding: 'protobuf', bytes, isWhole: false, records: countInProtobuf(bytes, signal), where }
  } catch (error) {
    return { where, problem: messageOf(error) }
  }
}
