import { randomBytes } from 'node:crypto'
import { CALL_TARGET_KEYS, type CallTarget, callTarget } from '../../domain/call-target.ts'
import type { TextColumn } from '../../domain/columns/text-column.ts'
import { hashOfKey } from './key-hash.ts'
import { plainOf } from './plain-text.ts'
import { utf8Of } from './utf8.ts'

const RECEIVE_KEYS = ['messaging.operation.type', 'messaging.operation']
const KEYS = [...CALL_TARGET_KEYS, ...RECEIVE_KEYS]
const SLOTS = new Map(KEYS.map((key, slot) => [hashOfKey(Buffer.from(key), 0, key.length), slot]))
const IS_URL = KEYS.map((key) => key === 'url.full' || key === 'http.url')
/** 1 where a hash may be one of theirs: most keys are passed over at the cost of one look. */
const MAYBE = new Uint8Array(1024)
for (const hash of SLOTS.keys()) MAYBE[hash & 1023] = 1
const [QUOTE, SLASH, BACKSLASH, QUESTION, NUMBER_SIGN] = [0x22, 0x2f, 0x5c, 0x3f, 0x23]
const SLASHES_BEFORE_HOST = 2
const KNOWN_MAX = 4096
/** Nobody can know them, and so nobody can make texts that are taken for others. */
const [SEED_HIGH, SEED_LOW] = [randomBytes(4).readInt32LE(), randomBytes(4).readInt32LE()]

interface TargetBytes {
  named: Uint8Array
  dependency: Uint8Array
}

const NOBODY: TargetBytes = { named: new Uint8Array(0), dependency: new Uint8Array(0) }

/** What a span's attributes say about whom it calls, noted while they are written. */
export class CallNotes {
  /** Where the value of each key is in the column; an end of 0 for none. */
  private readonly starts = new Uint32Array(KEYS.length)
  private readonly ends = new Uint32Array(KEYS.length)
  private column: TextColumn | undefined
  /** A fingerprint of all that was noted, whatever the order. */
  private high = 0
  private low = 0
  /** Targets by the fingerprint of the texts that name them: a service calls the same few again and again. */
  private readonly known = new Map<number, TargetBytes>()

  reset(): void {
    if (!this.column) return
    this.ends.fill(0)
    this.column = undefined
    this.high = 0
    this.low = 0
  }

  /** The value of the key with this hash was written from `start` to the column's end. */
  note(keyHash: number, column: TextColumn, start: number): void {
    if (MAYBE[keyHash & 1023] === 0 || column.bytes[start] !== QUOTE) return
    const slot = SLOTS.get(keyHash)
    if (slot === undefined) return
    this.column = column
    this.starts[slot] = start + 1
    const end = column.byteLength - 1
    this.ends[slot] = IS_URL[slot] ? endOfHost(column.bytes, start + 1, end) : end
    this.mix(slot, column.bytes, start + 1, this.ends[slot] as number)
  }

  get receives(): boolean {
    if (!this.column) return false
    const [type, operation] = [CALL_TARGET_KEYS.length, CALL_TARGET_KEYS.length + 1].map((slot) => this.text(slot))
    return (type || operation) === 'receive'
  }

  target(): TargetBytes {
    if (!this.column) return NOBODY
    const key = (this.high >>> 0) * 2_097_152 + (this.low >>> 11)
    const known = this.known.get(key)
    if (known) return known
    const { named, dependency }: CallTarget = callTarget(
      Object.fromEntries(CALL_TARGET_KEYS.map((name, slot) => [name, this.text(slot)])),
    )
    const target = { named: utf8Of(plainOf(named)), dependency: utf8Of(plainOf(dependency)) }
    if (this.known.size >= KNOWN_MAX) this.known.clear()
    this.known.set(key, target)
    return target
  }

  private mix(slot: number, bytes: Uint8Array, start: number, end: number): void {
    let high = Math.imul(SEED_HIGH ^ (slot + 1), 0x9e3779b1)
    let low = Math.imul(SEED_LOW + slot, 0x85ebca77)
    for (let i = start; i < end; i++) {
      high = Math.imul(high ^ (bytes[i] as number), 0x01000193)
      low = Math.imul(low ^ (bytes[i] as number), 0xcc9e2d51) ^ (low >>> 15)
    }
    this.high = (this.high + (high ^ (high >>> 15))) | 0
    this.low = (this.low + Math.imul(low ^ (low >>> 13), 0x1b873593)) | 0
  }

  /** A JSON string in the column, read back; empty where the key was not noted. */
  private text(slot: number): string {
    const [start, end] = [this.starts[slot] as number, this.ends[slot] as number]
    if (!this.column || end === 0) return ''
    const { bytes } = this.column
    const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('utf8')
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
