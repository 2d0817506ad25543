import { CALL_TARGET_KEYS, type CallTarget, callTarget } from '../../domain/call-target.ts'
import type { TextColumn } from '../../domain/columns/text-column.ts'
import { hashOfKey } from './key-hash.ts'
import { plainOf } from './plain-text.ts'
import { utf8Of } from './utf8.ts'

const RECEIVE_KEYS = ['messaging.operation.type', 'messaging.operation']
const KEYS = [...CALL_TARGET_KEYS, ...RECEIVE_KEYS]
const SLOTS = new Map(KEYS.map((key, slot) => [hashOfKey(Buffer.from(key), 0, key.length), slot]))
/** 1 where a hash may be one of theirs: most keys are passed over at the cost of one look. */
const MAYBE = new Uint8Array(1024)
for (const hash of SLOTS.keys()) MAYBE[hash & 1023] = 1
const QUOTE = 0x22
const KNOWN_MAX = 4096
/** Stands between the texts of a span in the memory of targets. */
const SEPARATOR = '\u0000'

interface TargetBytes {
  named: Uint8Array
  dependency: Uint8Array
}

/** What a span's attributes say about whom it calls, noted while they are written. */
export class CallNotes {
  private readonly texts: string[] = KEYS.map(() => '')
  private noted = 0
  /** Targets by the texts that name them: a service calls the same few again and again. */
  private readonly known = new Map<string, TargetBytes>()

  reset(): void {
    if (this.noted === 0) return
    this.texts.fill('')
    this.noted = 0
  }

  /** The value of the key with this hash was written from `start` to the column's end. */
  note(keyHash: number, column: TextColumn, start: number): void {
    if (MAYBE[keyHash & 1023] === 0 || column.bytes[start] !== QUOTE) return
    const slot = SLOTS.get(keyHash)
    if (slot === undefined) return
    this.texts[slot] = textOf(column, start)
    this.noted++
  }

  get receives(): boolean {
    if (this.noted === 0) return false
    const [type, operation] = this.texts.slice(CALL_TARGET_KEYS.length)
    return (type || operation) === 'receive'
  }

  target(): TargetBytes {
    const key = this.texts.join(SEPARATOR)
    const known = this.known.get(key)
    if (known) return known
    const { named, dependency }: CallTarget = callTarget(
      Object.fromEntries(CALL_TARGET_KEYS.map((name, slot) => [name, this.texts[slot] as string])),
    )
    const target = { named: utf8Of(plainOf(named)), dependency: utf8Of(plainOf(dependency)) }
    if (this.known.size >= KNOWN_MAX) this.known.clear()
    this.known.set(key, target)
    return target
  }
}

/** A JSON string at the end of the column, read back. */
function textOf({ bytes, byteLength }: TextColumn, start: number): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, byteLength - start).toString('utf8')
  return text.includes('\\') ? (JSON.parse(text) as string) : text.slice(1, -1)
}
