import type { Origin } from './origin.ts'
import { grownBytes, grownTimes, grownWords } from './span-columns.ts'
import { TextColumn } from './text-column.ts'

const INITIAL_ROWS = 1024

/** Log records of one Grid as columns; what `SpanColumns` says of layout, reuse and ownership holds here too. */
export class LogColumns {
  length = 0
  origins: Origin[] = []
  /** 16 bytes a row, made from the record's whole content and its origin: equal records have equal ids. */
  ids = new Uint8Array(INITIAL_ROWS * 16)
  idWords = new Int32Array(this.ids.buffer)
  /** All zero where the record belongs to no trace. */
  traceIds = new Uint8Array(INITIAL_ROWS * 16)
  traceIdWords = new Int32Array(this.traceIds.buffer)
  spanIds = new Uint8Array(INITIAL_ROWS * 8)
  spanIdWords = new Int32Array(this.spanIds.buffer)
  /** The record's own time, or where it has none the time at which it was observed. */
  timeNs = new BigInt64Array(INITIAL_ROWS)
  timeNsHalves = new Uint32Array(this.timeNs.buffer)
  observedNs = new BigInt64Array(INITIAL_ROWS)
  observedNsHalves = new Uint32Array(this.observedNs.buffer)
  severityNumbers = new Uint8Array(INITIAL_ROWS)
  flags = new Uint32Array(INITIAL_ROWS)
  droppedAttributes = new Uint32Array(INITIAL_ROWS)
  originIndexes = new Uint32Array(INITIAL_ROWS)
  /** As that of `SpanColumns`. */
  keySetHalves = new Uint32Array(INITIAL_ROWS * 2)
  severityTexts = new TextColumn()
  bodies = new TextColumn()
  eventNames = new TextColumn()
  attributes = new TextColumn()
  /** What `logTemplate` makes of the body. */
  templates = new TextColumn()

  reserveRow(): void {
    if (this.length < this.severityNumbers.length) return
    const rows = this.severityNumbers.length * 2
    this.ids = grownBytes(this.ids, rows * 16)
    this.idWords = new Int32Array(this.ids.buffer)
    this.traceIds = grownBytes(this.traceIds, rows * 16)
    this.traceIdWords = new Int32Array(this.traceIds.buffer)
    this.spanIds = grownBytes(this.spanIds, rows * 8)
    this.spanIdWords = new Int32Array(this.spanIds.buffer)
    this.timeNs = grownTimes(this.timeNs, rows)
    this.timeNsHalves = new Uint32Array(this.timeNs.buffer)
    this.observedNs = grownTimes(this.observedNs, rows)
    this.observedNsHalves = new Uint32Array(this.observedNs.buffer)
    this.severityNumbers = grownBytes(this.severityNumbers, rows)
    this.flags = grownWords(this.flags, rows)
    this.droppedAttributes = grownWords(this.droppedAttributes, rows)
    this.originIndexes = grownWords(this.originIndexes, rows)
    this.keySetHalves = grownWords(this.keySetHalves, rows * 2)
  }

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
    return [this.severityTexts, this.bodies, this.eventNames, this.attributes, this.templates]
  }
}
