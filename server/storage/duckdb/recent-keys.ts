const FIRST_SLOTS = 1 << 16

/**
 * A set of 64-bit fingerprints that remembers at least the last `keysMax` and at most twice as many: when one generation is
 * full, the one before it is forgotten. Open addressing in a typed array: 11 to 21 bytes a key and no garbage.
 */
export class RecentKeys {
  private readonly keysMax: number
  private current = new Generation(FIRST_SLOTS)
  private previous: Generation | undefined

  constructor(keysMax: number) {
    this.keysMax = keysMax
  }

  get size(): number {
    return this.current.size + (this.previous?.size ?? 0)
  }

  /** False where the key was there already. */
  add(high: number, low: number): boolean {
    if (this.previous?.has(high, low)) return false
    if (!this.current.add(high, low)) return false
    if (this.current.size >= this.keysMax) {
      this.previous = this.current
      this.current = new Generation(FIRST_SLOTS)
    }
    return true
  }

  clear(): void {
    this.current = new Generation(FIRST_SLOTS)
    this.previous = undefined
  }
}

class Generation {
  size = 0
  private words: Uint32Array
  private mask: number

  constructor(slots: number) {
    this.words = new Uint32Array(slots * 2)
    this.mask = slots - 1
  }

  has(high: number, low: number): boolean {
    return this.slotOf(high, low) < 0
  }

  add(high: number, low: number): boolean {
    const slot = this.slotOf(high, low)
    if (slot < 0) return false
    this.put(slot, high, low)
    if (++this.size * 4 > (this.mask + 1) * 3) this.grow()
    return true
  }

  /** The free slot for this key, or -1 where the key is there. Two zero words mark a free slot. */
  private slotOf(high: number, low: number): number {
    const wantedHigh = (high | 1) >>> 0
    const wantedLow = low >>> 0
    let slot = low & this.mask
    for (;;) {
      const foundHigh = this.words[slot * 2]
      if (foundHigh === 0) return slot
      if (foundHigh === wantedHigh && this.words[slot * 2 + 1] === wantedLow) return -1
      slot = (slot + 1) & this.mask
    }
  }

  private put(slot: number, high: number, low: number): void {
    this.words[slot * 2] = high | 1
    this.words[slot * 2 + 1] = low
  }

  private grow(): void {
    const old = this.words
    this.words = new Uint32Array(old.length * 2)
    this.mask = this.words.length / 2 - 1
    for (let i = 0; i < old.length; i += 2) {
      const high = old[i] as number
      if (high !== 0) this.put(this.slotOf(high, old[i + 1] as number), high, old[i + 1] as number)
    }
  }
}
