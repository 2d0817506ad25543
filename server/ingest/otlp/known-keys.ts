import { randomBytes } from 'node:crypto'
import { copyPlain } from './copy-plain.ts'
import { hashOfKey } from './key-hash.ts'
import { finishedHash, mixedHash } from './word-hash.ts'

const KEYS_MAX = 2048
const KEY_BYTES_MIN = 4
export const KEY_BYTES_MAX = 64
const KEY_WORDS_MAX = KEY_BYTES_MAX / 4
const SLOTS_PER_KEY = 4
const PROBES_MAX = 8
/** To learn keys and forget them again must cost little beside what came without being learned. */
const REFUSED_PER_KEY = 16
export const UNKNOWN = -1

/**
 * Keys that came before, by their bytes on the wire. Only plain ASCII is kept, so that two keys with the same text have
 * the same bytes. From one `begin` to the next a key is known from the first time it comes, or never.
 */
export class KnownKeys {
  readonly keysMax: number
  /** Nobody can know it, and so nobody can make keys that keep others from their places. */
  private readonly seed: number
  private count = 0
  /** How many keys found no place since keys were forgotten. */
  private refused = 0
  /** The key that came last: records of one kind have their keys in one order. */
  private last = 0
  /** Of each key the one that came after it the last time. */
  private readonly followers: Int32Array
  /** The bytes of each key by fours; the last four, which may be among those before, are apart. */
  private readonly words: Int32Array
  private readonly lastWords: Int32Array
  private readonly lengths: Int32Array
  private readonly hashes: Int32Array
  /** 1 for a key that came again since keys were forgotten. */
  private readonly used: Uint8Array
  private readonly homes: Int32Array
  /** A key's id and 1, at its home or a little behind; 0 where there is none. */
  private readonly slots: Int32Array

  /** `keysMax` is a power of 2. */
  constructor(keysMax = KEYS_MAX, seed = randomBytes(4).readInt32LE()) {
    this.keysMax = keysMax
    this.seed = seed
    this.followers = new Int32Array(keysMax)
    this.words = new Int32Array(keysMax * KEY_WORDS_MAX)
    this.lastWords = new Int32Array(keysMax)
    this.lengths = new Int32Array(keysMax)
    this.hashes = new Int32Array(keysMax)
    this.homes = new Int32Array(keysMax)
    this.used = new Uint8Array(keysMax)
    this.slots = new Int32Array(keysMax * SLOTS_PER_KEY)
  }

  /** The ids given before mean nothing from here on. */
  begin(): void {
    if (this.refused >= this.keysMax * REFUSED_PER_KEY) this.forgetUnused()
  }

  /**
   * Copies a key that is known, or is from now on, to `target`. The answer is its id: `UNKNOWN`, and anything written, for
   * one that is too short or too long, not plain, or finds no place.
   */
  copy(source: DataView, start: number, end: number, target: DataView, at: number): number {
    if (end - start < KEY_BYTES_MIN || end - start > KEY_BYTES_MAX) return UNKNOWN
    const { last } = this
    const guess = this.followers[last] as number
    const isRight = this.copyIfSame(guess, source, start, end, target, at)
    const id = isRight ? guess : this.lookUp(source, start, end, target, at)
    if (id === UNKNOWN) return id
    if (!isRight) this.followers[last] = id
    this.last = id
    return id
  }

  /** What `hashOfKey` says of it. */
  hashOf(id: number): number {
    return this.hashes[id] as number
  }

  private lookUp(source: DataView, start: number, end: number, target: DataView, at: number): number {
    const { slots } = this
    const home = this.homeOf(source, start, end)
    for (let probe = 0; probe < PROBES_MAX; probe++) {
      const slot = (home + probe) & (slots.length - 1)
      const id = (slots[slot] as number) - 1
      if (id >= 0) {
        if (this.copyIfSame(id, source, start, end, target, at)) return id
        continue
      }
      if (this.count === this.keysMax) break
      if (copyPlain(source, start, end, target, at) < end) return UNKNOWN
      return this.learn(home, slot, source, start, end)
    }
    this.refused++
    return UNKNOWN
  }

  private homeOf(source: DataView, start: number, end: number): number {
    let hash = this.seed ^ (end - start)
    for (let i = start; i < end - 4; i += 4) hash = mixedHash(hash, source.getInt32(i, true))
    return finishedHash(mixedHash(hash, source.getInt32(end - 4, true)))
  }

  private copyIfSame(id: number, source: DataView, start: number, end: number, target: DataView, at: number): boolean {
    if (this.lengths[id] !== end - start) return false
    const { words } = this
    const shift = at - start
    const last = end - 4
    let k = id * KEY_WORDS_MAX
    for (let i = start; i < last; i += 4) {
      const word = source.getInt32(i, true)
      if (word !== words[k++]) return false
      target.setInt32(i + shift, word, true)
    }
    const word = source.getInt32(last, true)
    if (word !== this.lastWords[id]) return false
    target.setInt32(last + shift, word, true)
    this.used[id] = 1
    return true
  }

  private learn(home: number, slot: number, source: DataView, start: number, end: number): number {
    const id = this.count++
    let k = id * KEY_WORDS_MAX
    for (let i = start; i < end - 4; i += 4) this.words[k++] = source.getInt32(i, true)
    this.lastWords[id] = source.getInt32(end - 4, true)
    this.lengths[id] = end - start
    this.hashes[id] = hashOfKey(new Uint8Array(source.buffer, source.byteOffset), start, end)
    this.homes[id] = home
    this.used[id] = 0
    this.slots[slot] = id + 1
    return id
  }

  /** Makes room by the keys that came once only, of which a sender may have any number. */
  private forgetUnused(): void {
    const { count } = this
    this.count = 0
    this.refused = 0
    this.last = 0
    this.slots.fill(0)
    for (let id = 0; id < count; id++) if (this.used[id] === 1) this.move(id, this.count++)
    // No key has this length, so that nobody guesses one that is forgotten.
    this.lengths.fill(0, this.count)
  }

  private move(from: number, to: number): void {
    const { slots } = this
    this.words.copyWithin(to * KEY_WORDS_MAX, from * KEY_WORDS_MAX, (from + 1) * KEY_WORDS_MAX)
    for (const column of [this.lastWords, this.lengths, this.hashes, this.homes]) column[to] = column[from] as number
    this.used[to] = 0
    // With fewer keys before it, none is farther from its home than it was.
    let slot = this.homes[to] as number
    while (slots[slot & (slots.length - 1)] !== 0) slot++
    slots[slot & (slots.length - 1)] = to + 1
  }
}
