import type { Origin } from './origin.ts'
import { TextColumn } from './text-column.ts'

const INITIAL_ROWS = 1024

/**
 * Spans of one Grid as columns: the form in which they travel from the decoder to a store, because an object per span
 * costs several times more than the span's bytes. All columns have `length` rows. A decoder fills one instance again and
 * again; whoever receives it copies what it needs before it returns.
 *
 * Ids are big-endian bytes as on the wire; their words are the same memory, to be written by fours. Times are 64-bit
 * nanoseconds, written through their 32-bit views (little-endian halves) so that the hot path makes no bigint.
 */
export class SpanColumns {
  length = 0
  origins: Origin[] = []
  traceIds = new Uint8Array(INITIAL_ROWS * 16)
  traceIdWords = new Int32Array(this.traceIds.buffer)
  spanIds = new Uint8Array(INITIAL_ROWS * 8)
  spanIdWords = new Int32Array(this.spanIds.buffer)
  /** All zero for a root span. */
  parentIds = new Uint8Array(INITIAL_ROWS * 8)
  parentIdWords = new Int32Array(this.parentIds.buffer)
  startNs = new BigInt64Array(INITIAL_ROWS)
  startNsHalves = new Uint32Array(this.startNs.buffer)
  /** Never negative. */
  durationNs = new BigInt64Array(INITIAL_ROWS)
  durationNsHalves = new Uint32Array(this.durationNs.buffer)
  kinds = new Uint8Array(INITIAL_ROWS)
  statuses = new Uint8Array(INITIAL_ROWS)
  flags = new Uint32Array(INITIAL_ROWS)
  droppedAttributes = new Uint32Array(INITIAL_ROWS)
  /** Index into `origins`. */
  originIndexes = new Uint32Array(INITIAL_ROWS)
  /** A number for each set of attribute keys, as 32-bit halves: spans with the same number have the same keys. */
  keySetHalves = new Uint32Array(INITIAL_ROWS * 2)
  /** 1 for a CONSUMER span that merely receives messages, which another one processes. */
  receives = new Uint8Array(INITIAL_ROWS)
  operations = new TextColumn()
  statusMessages = new TextColumn()
  traceStates = new TextColumn()
  /** JSON text of one object without white space, keys unique (the first wins); empty where there are no attributes. */
  attributes = new TextColumn()
  /** JSON text of an array of `{"name","timeUnixNano","attributes"}`, times as decimal strings; empty where there are none. */
  events = new TextColumn()
  /** JSON text of an array of `{"traceId","spanId","attributes"}`; empty where there are none. */
  links = new TextColumn()
  /** Whom the attributes of a CLIENT or PRODUCER span name, as `callTarget` says; empty for other kinds. */
  calledNames = new TextColumn()
  dependencies = new TextColumn()

  /** Room for one more row in every fixed-width column; the caller fills row `length` and then increments it. */
  reserveRow(): void {
    if (this.length < this.kinds.length) return
    const rows = this.kinds.length * 2
    this.traceIds = grownBytes(this.traceIds, rows * 16)
    this.traceIdWords = new Int32Array(this.traceIds.buffer)
    this.spanIds = grownBytes(this.spanIds, rows * 8)
    this.spanIdWords = new Int32Array(this.spanIds.buffer)
    this.parentIds = grownBytes(this.parentIds, rows * 8)
    this.parentIdWords = new Int32Array(this.parentIds.buffer)
    this.startNs = grownTimes(this.startNs, rows)
    this.startNsHalves = new Uint32Array(this.startNs.buffer)
    this.durationNs = grownTimes(this.durationNs, rows)
    this.durationNsHalves = new Uint32Array(this.durationNs.buffer)
    this.kinds = grownBytes(this.kinds, rows)
    this.statuses = grownBytes(this.statuses, rows)
    this.flags = grownWords(this.flags, rows)
    this.droppedAttributes = grownWords(this.droppedAttributes, rows)
    this.originIndexes = grownWords(this.originIndexes, rows)
    this.keySetHalves = grownWords(this.keySetHalves, rows * 2)
    this.receives = grownBytes(this.receives, rows)
  }

  /** Forgets the rows from `length` on; origins stay. */
  truncate(length: number): void {
    this.length = length
    for (const column of this.texts()) column.truncate(length)
  }

  clear(): void {
    this.truncate(0)
    this.origins = []
  }

  /** Memory that the texts hold on to. */
  get byteLength(): number {
    return this.texts().reduce((sum, column) => sum + column.bytes.length, 0)
  }

  private texts(): TextColumn[] {
    return [
      this.operations,
      this.statusMessages,
      this.traceStates,
      this.attributes,
      this.events,
      this.links,
      this.calledNames,
      this.dependencies,
    ]
  }
}

export function grownBytes(old: Uint8Array, length: number): Uint8Array<ArrayBuffer> {
  const grown = new Uint8Array(length)
  grown.set(old)
  return grown
}

export function grownWords(old: Uint32Array, length: number): Uint32Array<ArrayBuffer> {
  const grown = new Uint32Array(length)
  grown.set(old)
  return grown
}

export function grownTimes(old: BigInt64Array, length: number): BigInt64Array<ArrayBuffer> {
  const grown = new BigInt64Array(length)
  grown.set(old)
  return grown
}
