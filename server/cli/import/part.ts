import type { Encoding, Signal } from '../../ingest/ingest.ts'

export type Bytes = Uint8Array<ArrayBuffer>

/** The smallest piece of a file that can be sent by itself. */
export interface Part {
  signal: Signal
  encoding: Encoding
  /** For JSON the items of the top-level array, unless the part is whole; for protobuf a message. */
  bytes: Bytes
  /** Cannot share a request with others. */
  isWhole: boolean
  records: number
  /** Where it stands, for the person who has to find it. */
  where: string
}

/** A piece of a file that is not telemetry; those after it may be. */
export interface UnreadablePart {
  where: string
  problem: string
}

/** What one request may hold, and so the most that a line or a message may be. */
export const PART_BYTES_MAX = 64 * 1024 * 1024

export const JSON_KEYS: Record<Signal, string> = {
  traces: 'resourceSpans',
  logs: 'resourceLogs',
  metrics: 'resourceMetrics',
}

export function isUnreadable(part: Part | UnreadablePart): part is UnreadablePart {
  return 'problem' in part
}

/** One request from parts of the same signal and encoding. */
export function requestOf(parts: readonly Part[]): Bytes {
  const [first] = parts
  if (first === undefined) return new Uint8Array()
  if (first.isWhole || first.encoding === 'protobuf') return joined(parts.map(({ bytes }) => bytes))
  const items = parts.flatMap(({ bytes }, i) => (i === 0 ? [bytes] : [COMMA, bytes]))
  return joined([utf8(`{"${JSON_KEYS[first.signal]}":[`), ...items, utf8(']}')])
}

const COMMA = utf8(',')

function utf8(text: string): Bytes {
  return new TextEncoder().encode(text)
}

/** Protobuf messages put one after the other are one message with the items of all. */
function joined(pieces: Bytes[]): Bytes {
  const [first] = pieces
  if (first !== undefined && pieces.length === 1) return first
  const whole = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}
