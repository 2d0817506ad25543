import { randomBytes } from 'node:crypto'

const FIRST_SLOTS = 1 << 10
/** Nobody can know it, and so nobody can make texts that crowd each other. */
const SEED = randomBytes(4).readInt32LE()
/** Fewer texts than this are never looked through for ones that nobody uses. */
const SWEPT_TEXTS_MIN = 100_000

/** Texts by number, found by their bytes without making a string of them. The empty text is 0. */
export class TextIds {
  private readonly texts: string[] = ['']
  private readonly bytes: Uint8Array[] = [new Uint8Array(0)]
  private readonly hashes: number[] = [0]
  private readonly free: number[] = []
  /** The number of a text; 0 where a slot is free. */
  private slots = new Uint32Array(FIRST_SLOTS)
  private used = 0
  private sweepAt = SWEPT_TEXTS_MIN

  /** Whether so many texts have come that some may be unused by now. */
  get isDueForSweep(): boolean {
    return this.used >= this.sweepAt
  }

  /** One more than the largest number. */
  get end(): number {
    return this.texts.length
  }

  of(source: Uint8Array, start: number, end: number): number {
    if (start === end) return 0
    const hash = hashOf(source, start, end)
    const mask = this.slots.length - 1
    let slot = hash & mask
    for (;;) {
      const id = this.slots[slot] as number
      if (id === 0) break
      if (this.hashes[id] === hash && isSame(this.bytes[id] as Uint8Array, source, start, end)) return id
      slot = (slot + 1) & mask
    }
    return this.add(slot, hash, source.slice(start, end))
  }

  ofText(text: string): number {
    const bytes = Buffer.from(text)
    return this.of(bytes, 0, bytes.length)
  }

  text(id: number): string {
    return this.texts[id] as string
  }

  bytesOf(id: number): Uint8Array {
    return this.bytes[id] as Uint8Array
  }

  /** Forgets the texts that are not used; their numbers are given to others. */
  sweep(isUsed: Uint8Array): void {
    this.slots.fill(0)
    this.used = 0
    this.free.length = 0
    const mask = this.slots.length - 1
    for (let id = 1; id < this.texts.length; id++) {
      if (isUsed[id] === 0) {
        this.texts[id] = ''
        this.bytes[id] = this.bytes[0] as Uint8Array
        this.free.push(id)
        continue
      }
      let slot = (this.hashes[id] as number) & mask
      while (this.slots[slot] !== 0) slot = (slot + 1) & mask
      this.slots[slot] = id
      this.used++
    }
    this.sweepAt = Math.max(SWEPT_TEXTS_MIN, this.used * 2)
  }

  private add(slot: number, hash: number, bytes: Uint8Array): number {
    const id = this.free.pop() ?? this.texts.length
    this.texts[id] = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8')
    this.bytes[id] = bytes
    this.hashes[id] = hash
    this.slots[slot] = id
    if (++this.used * 2 > this.slots.length) this.grow()
    return id
  }

  private grow(): void {
    const ids = this.slots.filter((id) => id !== 0)
    this.slots = new Uint32Array(this.slots.length * 2)
    const mask = this.slots.length - 1
    for (const id of ids) {
      let slot = (this.hashes[id] as number) & mask
      while (this.slots[slot] !== 0) slot = (slot + 1) & mask
      this.slots[slot] = id
    }
  }
}

function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = SEED
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ (bytes[i] as number), 0x01000193)
  return (hash ^ (hash >>> 15)) >>> 0
}

function isSame(known: Uint8Array, source: Uint8Array, start: number, end: number): boolean {
  if (known.length !== end - start) return false
  for (let i = 0; i < known.length; i++) if (known[i] !== source[start + i]) return false
  return true
}
