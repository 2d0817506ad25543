import type { LogColumns } from '../../domain/columns/log-columns.ts'
import type { Origin } from '../../domain/columns/origin.ts'
import type { TextColumn } from '../../domain/columns/text-column.ts'
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
  private content = new Uint8Array(4096)
  private at = 0
  private origin: Origin | undefined
  private readonly originHash = new Uint8Array(16)

  /** Writes the id of a row whose other columns are filled. */
  write(out: LogColumns, row: number, origin: Origin, times: SentTimes, bodyKind: BodyKind): void {
    if (origin !== this.origin) this.hashOrigin(origin)
    this.at = 0
    this.bytes(this.originHash, 0, 16)
    this.word(times.timeHi)
    this.word(times.timeLo)
    this.word(times.observedHi)
    this.word(times.observedLo)
    this.word(out.severityNumbers[row] as number)
    this.word(out.flags[row] as number)
    this.word(out.droppedAttributes[row] as number)
    this.word(bodyKind)
    this.bytes(out.traceIds, row * 16, row * 16 + 16)
    this.bytes(out.spanIds, row * 8, row * 8 + 8)
    this.text(out.severityTexts, row)
    this.text(out.eventNames, row)
    this.text(out.bodies, row)
    this.text(out.attributes, row)
    hash128(this.content, 0, this.at, out.ids, row * 16)
  }

  private hashOrigin(origin: Origin): void {
    this.origin = origin
    this.at = 0
    for (const text of [origin.resourceJson, origin.scopeName, origin.scopeVersion]) {
      const bytes = utf8Of(text)
      this.word(bytes.length)
      this.bytes(bytes, 0, bytes.length)
    }
    hash128(this.content, 0, this.at, this.originHash, 0)
  }

  private text(column: TextColumn, row: number): void {
    const start = column.startOf(row)
    const end = column.endOf(row)
    this.word(end - start)
    this.bytes(column.bytes, start, end)
  }

  private word(value: number): void {
    this.reserve(4)
    this.content[this.at++] = value
    this.content[this.at++] = value >>> 8
    this.content[this.at++] = value >>> 16
    this.content[this.at++] = value >>> 24
  }

  private bytes(source: Uint8Array, start: number, end: number): void {
    this.reserve(end - start)
    const { content } = this
    let { at } = this
    for (let i = start; i < end; i++) content[at++] = source[i] as number
    this.at = at
  }

  private reserve(count: number): void {
    if (this.at + count <= this.content.length) return
    const grown = new Uint8Array(Math.max(this.at + count, this.content.length * 2))
    grown.set(this.content)
    this.content = grown
  }
}
