import type { LogColumns } from '../../domain/columns/log-columns.ts'
import type { Origin } from '../../domain/columns/origin.ts'
import type { TextColumn } from '../../domain/columns/text-column.ts'
import { copyBytes } from './copy-bytes.ts'
import { hash128 } from './hash128.ts'
import { utf8Of } from './utf8.ts'

export const BODY_NONE = 0
export const BODY_TEXT = 1
export const BODY_JSON = 2
export type BodyKind = typeof BODY_NONE | typeof BODY_TEXT | typeof BODY_JSON

/** The times that the sender gave, 0 for none: what the server puts in their place would change with every delivery. */
export interface SentTimes {
  readonly timeHi: number
  readonly timeLo: number
  readonly observedHi: number
  readonly observedLo: number
}

/** Makes a record's id from its content, each part behind its length, so that no two records are hashed as the same bytes. */
export class LogId {
  private content = new DataView(new ArrayBuffer(4096))
  private at = 0
  private origin: Origin | undefined
  private readonly originHash = new Int32Array(4)

  /** Writes the id of a row whose other columns are filled. */
  write(out: LogColumns, row: number, origin: Origin, times: SentTimes, bodyKind: BodyKind): void {
    if (origin !== this.origin) this.hashOrigin(origin)
    this.at = 0
    this.words(this.originHash, 0, 4)
    this.word(times.timeHi)
    this.word(times.timeLo)
    this.word(times.observedHi)
    this.word(times.observedLo)
    this.word(out.severityNumbers[row] as number)
    this.word(out.flags[row] as number)
    this.word(out.droppedAttributes[row] as number)
    this.word(bodyKind)
    this.words(out.traceIdWords, row * 4, 4)
    this.words(out.spanIdWords, row * 2, 2)
    this.text(out.severityTexts, row)
    this.text(out.eventNames, row)
    this.text(out.bodies, row)
    this.text(out.attributes, row)
    hash128(this.content, 0, this.at, out.idWords, row * 4)
  }

  private hashOrigin(origin: Origin): void {
    this.origin = origin
    this.at = 0
    for (const text of [origin.resourceJson, origin.scopeName, origin.scopeVersion]) {
      const { buffer, byteOffset, byteLength } = utf8Of(text)
      this.bytes(new DataView(buffer, byteOffset, byteLength), 0, byteLength)
    }
    hash128(this.content, 0, this.at, this.originHash, 0)
  }

  private text(column: TextColumn, row: number): void {
    this.bytes(column.view, column.startOf(row), column.endOf(row))
  }

  private word(value: number): void {
    this.reserve(4)
    this.content.setInt32(this.at, value, true)
    this.at += 4
  }

  private words(source: Int32Array, start: number, count: number): void {
    for (let i = start; i < start + count; i++) this.word(source[i] as number)
  }

  /** Their number and then the bytes. */
  private bytes(source: DataView, start: number, end: number): void {
    this.word(end - start)
    this.reserve(end - start)
    copyBytes(source, start, end, this.content, this.at)
    this.at += end - start
  }

  private reserve(count: number): void {
    const { content } = this
    if (this.at + count <= content.byteLength) return
    const grown = new Uint8Array(Math.max(this.at + count, content.byteLength * 2))
    grown.set(new Uint8Array(content.buffer))
    this.content = new DataView(grown.buffer)
  }
}
