const FIRST_SLOTS = 1 << 16

/**
 * A set of 64-bit fingerprints that remembers at least the last `keysMax` and at most twice as many: when one generation is
 * full, the one before it is forgotten. Open addressing in a typed array: 11 to 21 bytes a key and no garbage.
 *
 * Keys are provisional until they are confirmed, so that the keys of rows that could not be stored can be forgotten.
 */
export class RecentKeys {
  private readonly keysMax: number
  private current = new Generation(FIRST_SLOTS)
  private previous: Generation | undefined
  /** The halves of the provisional keys, oldest first. */
  private provisional = new Uint32Array(FIRST_SLOTS)
  private provisionalCount = 0

  constructor(keysMax: number) {
    this.keysMax = keysMax
  }

  get size(): number {
    return this.current.size + (this.previous?.size ?? 0)
  }

  /** How many keys are provisional. */
  get unconfirmed(): number {
    return this.provisionalCount
  }

  /** False where the key was there already. */
  add(high: number, low: number): boolean {
    if (this.previous?.has(high, low)) return false
    if (!this.current.add(high, low)) return false
    this.note(high, low)
    if (this.current.size >= this.keysMax) {
      this.previous = this.current
      this.current = new Generation(FIRST_SLOTS)
    }
    return true
  }

  /** The oldest so many provisional keys stay. */
  confirm(count: number): void {
    this.provisional.copyWithin(0, count * 2, this.provisionalCount * 2)
    this.provisionalCount -= count
  }

  forgetUnconfirmed(): void {
    for (let i = 0; i < this.provisionalCount; i++) {
      const high = this.provisional[i * 2] as number
      const low = this.provisional[i * 2 + 1] as number
      if (!this.current.remove(high, low)) this.previous?.remove(high, low)
    }
    this.provisionalCount = 0
  }

  private note(high: number, low: number): void {
    if (this.provisionalCount * 2 === this.provisional.length) {
      const grown = new Uint32Array(this.provisional.length * 2)
      grown.set(this.provisional)
      this.provisional = grown
    }
    this.provisional[this.provisionalCount * 2] = high
    this.provisional[this.provisionalCount * 2 + 1] = low
    this.provisionalCount++
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
    return this.isTaken(this.slotOf(high, low))
  }

  add(high: number, low: number): boolean {
    const slot = this.slotOf(high, low)
    if (this.isTaken(slot)) return false
    this.put(slot, high, low)
    if (++this.size * 4 > (this.mask + 1) * 3) this.grow()
    return true
  }

  /** Closes the gap, because a search ends at the first free slot. */
  remove(high: number, low: number): boolean {
    const removed = this.slotOf(high, low)
    if (!this.isTaken(removed)) return false
    this.size--
    this.free(removed)
    for (let slot = (removed + 1) & this.mask; this.isTaken(slot); slot = (slot + 1) & this.mask) {
      const movedHigh = this.words[slot * 2] as number
      const movedLow = this.words[slot * 2 + 1] as number
      this.free(slot)
      this.put(this.slotOf(movedHigh, movedLow), movedHigh, movedLow)
    }
    return true
  }

  /** Where this key is, or the free slot for it. Two zero words mark a free slot. */
  private slotOf(high: number, low: number): number {
    const wantedHigh = (high | 1) >>> 0
    const wantedLow = low >>> 0
    let slot = low & this.mask
    for (;;) {
      const foundHigh = this.words[slot * 2]
      if (foundHigh === 0) return slot
      if (foundHigh === wantedHigh && this.words[slot * 2 + 1] === wantedLow) return slot
      slot = (slot + 1) & this.mask
    }
  }

  private isTaken(slot: number): boolean {
    return this.words[slot * 2] !== 0
  }

  private put(slot: number, high: number, low: number): void {
    this.words[slot * 2] = high | 1
    this.words[slot * 2 + 1] = low
  }

  private free(slot: number): void {
    this.words[slot * 2] = 0
    this.words[slot * 2 + 1] = 0
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
