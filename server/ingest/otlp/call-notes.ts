import type { Attributes } from '../../domain/attributes.ts'
import { CALL_TARGET_KEYS, callTarget } from '../../domain/call-target.ts'
import type { TextColumn } from '../../domain/columns/text-column.ts'
import { CallTargets, type TargetBytes } from './call-targets.ts'
import { copyBytes } from './copy-bytes.ts'
import { hashOfKey } from './key-hash.ts'
import { plainOf } from './plain-text.ts'
import { stringOf, utf8Of } from './utf8.ts'

const KEYS = [...CALL_TARGET_KEYS, 'messaging.operation.type', 'messaging.operation']
const OPERATION_TYPE = CALL_TARGET_KEYS.length
const OPERATION = OPERATION_TYPE + 1
/** The bits of the slots that name whom a span calls. */
const NAMING = (1 << CALL_TARGET_KEYS.length) - 1
const HASHES = KEYS.map((key) => hashOfKey(Buffer.from(key), 0, key.length))
const IS_URL = KEYS.map((key) => key === 'url.full' || key === 'http.url')
/** Which slot a key may have by the last bits of its hash, all of which differ; most keys are passed over by this alone. */
const SLOTS = new Int8Array(1024).fill(-1)
for (const [slot, hash] of HASHES.entries()) SLOTS[hash & 1023] = slot
const [QUOTE, SLASH, BACKSLASH, QUESTION, NUMBER_SIGN] = [0x22, 0x2f, 0x5c, 0x3f, 0x23]
const SLASHES_BEFORE_HOST = 2
const RECEIVE = Buffer.from('receive')

const NOBODY: TargetBytes = { named: new Uint8Array(0), dependency: new Uint8Array(0) }
/** Outlives requests. */
const TARGETS = new CallTargets()
/** Longer notes are seldom the same twice. */
const NOTES_BYTES_MAX = 256
/** The noted texts one behind the other, as words and as bytes. */
const WORDS = new Int32Array(NOTES_BYTES_MAX / 4)
const BYTES = new DataView(WORDS.buffer)

/** What a span's attributes say about whom it calls, noted while they are written. */
export class CallNotes {
  /** Where the value of each key is in the column, if the bit of its slot is set in `noted`. */
  private readonly starts: number[] = KEYS.map(() => 0)
  private readonly ends: number[] = KEYS.map(() => 0)
  private noted = 0
  private readonly column: TextColumn

  constructor(column: TextColumn) {
    this.column = column
  }

  reset(): void {
    this.noted = 0
  }

  /** The value of the key with this hash was written from `start` to the column's end. */
  note(keyHash: number, start: number): void {
    const { column } = this
    const slot = SLOTS[keyHash & 1023] as number
    if (slot < 0 || HASHES[slot] !== keyHash || column.bytes[start] !== QUOTE) return
    const end = column.byteLength - 1
    this.noted |= 1 << slot
    this.starts[slot] = start + 1
    this.ends[slot] = IS_URL[slot] ? endOfHost(column.bytes, start + 1, end) : end
  }

  get receives(): boolean {
    return this.is(OPERATION_TYPE, RECEIVE) || (this.isEmpty(OPERATION_TYPE) && this.is(OPERATION, RECEIVE))
  }

  target(): TargetBytes {
    if ((this.noted & NAMING) === 0) return NOBODY
    const count = this.gather()
    const known = count === 0 ? undefined : TARGETS.find(WORDS, count)
    if (known) return known
    const { named, dependency } = callTarget(this.attributes())
    const target = { named: utf8Of(plainOf(named)), dependency: utf8Of(plainOf(dependency)) }
    if (count > 0) TARGETS.keep(WORDS, count, target)
    return target
  }

  private attributes(): Attributes {
    const attributes: Attributes = {}
    CALL_TARGET_KEYS.forEach((key, slot) => {
      if (!this.isEmpty(slot)) attributes[key] = this.text(slot)
    })
    return attributes
  }

  /** Writes what the target depends on into `WORDS`; the answer is how many these are, 0 where they do not suffice. */
  private gather(): number {
    const { starts, ends, noted } = this
    const { view } = this.column
    let at = 0
    for (let slot = 0; slot < CALL_TARGET_KEYS.length; slot++) {
      if ((noted & (1 << slot)) === 0) continue
      const start = starts[slot] as number
      const end = ends[slot] as number
      if (at + (end - start) + 4 > NOTES_BYTES_MAX) return 0
      copyBytes(view, start, end, BYTES, at)
      at += end - start
      // No byte of JSON text is below 32, so this tells where a text ends and whose it was.
      BYTES.setUint8(at++, slot + 1)
    }
    while ((at & 3) !== 0) BYTES.setUint8(at++, 0)
    return at >>> 2
  }

  private isEmpty(slot: number): boolean {
    return (this.noted & (1 << slot)) === 0 || this.starts[slot] === this.ends[slot]
  }

  private is(slot: number, text: Uint8Array): boolean {
    const start = this.starts[slot] as number
    if (this.isEmpty(slot) || (this.ends[slot] as number) - start !== text.length) return false
    for (let i = 0; i < text.length; i++) if (this.column.bytes[start + i] !== text[i]) return false
    return true
  }

  /** A JSON string in the column, read back. */
  private text(slot: number): string {
    const [start, end] = [this.starts[slot] as number, this.ends[slot] as number]
    const text = stringOf(this.column.bytes, start, end)
    return text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text
  }
}

/** Of an address only the host says who is called, and what follows it is seldom the same twice. */
function endOfHost(bytes: Uint8Array, start: number, end: number): number {
  let slashes = 0
  for (let i = start; i < end; i++) {
    const byte = bytes[i]
    if (byte === BACKSLASH) return end
    if (byte === SLASH && slashes++ === SLASHES_BEFORE_HOST) return i
    if ((byte === QUESTION || byte === NUMBER_SIGN) && slashes === SLASHES_BEFORE_HOST) return i
  }
  return end
}
