const FIRST_SLOTS = 1 << 12
const WORDS_PER_SLOT = 4

/**
 * A map from 64-bit fingerprints to pairs of 32-bit numbers: open addressing in a typed array, 21 to 43 bytes a key and no
 * garbage. `find` gives a slot, which holds until something is put or removed.
 */
export class KeyMap {
  size = 0
  /** Of each slot: the key's halves (a first half of 0 marks a free slot), and the two values. */
  private words = new Uint32Array(FIRST_SLOTS * WORDS_PER_SLOT)
  private mask = FIRST_SLOTS - 1

  /** The slot of a key, or -1. */
  find(high: number, low: number): number {
    const slot = this.slotOf(high, low)
    return this.words[slot * WORDS_PER_SLOT] === 0 ? -1 : slot
  }

  first(slot: number): number {
    return this.words[slot * WORDS_PER_SLOT + 2] as number
  }

  second(slot: number): number {
    return this.words[slot * WORDS_PER_SLOT + 3] as number
  }

  put(high: number, low: number, first: number, second = 0): void {
    const slot = this.slotOf(high, low)
    const isNew = this.words[slot * WORDS_PER_SLOT] === 0
    this.fill(slot, (high | 1) >>> 0, low, first, second)
    if (isNew && ++this.size * 4 > (this.mask + 1) * 3) this.resize((this.mask + 1) * 2)
  }

  /** Closes the gap, because a search ends at the first free slot. */
  remove(high: number, low: number): void {
    const removed = this.find(high, low)
    if (removed < 0) return
    this.size--
    this.free(removed)
    for (let slot = (removed + 1) & this.mask; this.words[slot * WORDS_PER_SLOT] !== 0; slot = (slot + 1) & this.mask) {
      const [movedHigh, movedLow] = [
        this.words[slot * WORDS_PER_SLOT] as number,
        this.words[slot * WORDS_PER_SLOT + 1] as number,
      ]
      const [first, second] = [this.first(slot), this.second(slot)]
      this.free(slot)
      this.fill(this.slotOf(movedHigh, movedLow), movedHigh, movedLow, first, second)
    }
    if (this.mask + 1 > FIRST_SLOTS && this.size * 8 < this.mask + 1) this.resize((this.mask + 1) / 2)
  }

  private slotOf(high: number, low: number): number {
    const wantedHigh = (high | 1) >>> 0
    const wantedLow = low >>> 0
    let slot = low & this.mask
    for (;;) {
      const foundHigh = this.words[slot * WORDS_PER_SLOT]
      if (foundHigh === 0) return slot
      if (foundHigh === wantedHigh && this.words[slot * WORDS_PER_SLOT + 1] === wantedLow) return slot
      slot = (slot + 1) & this.mask
    }
  }

  private fill(slot: number, high: number, low: number, first: number, second: number): void {
    const at = slot * WORDS_PER_SLOT
    this.words[at] = high
    this.words[at + 1] = low
    this.words[at + 2] = first
    this.words[at + 3] = second
  }

  private free(slot: number): void {
    this.fill(slot, 0, 0, 0, 0)
  }

  private resize(slots: number): void {
    const old = this.words
    this.words = new Uint32Array(slots * WORDS_PER_SLOT)
    this.mask = slots - 1
    for (let at = 0; at < old.length; at += WORDS_PER_SLOT) {
      if (old[at] === 0) continue
      const [high, low, first, second] = [old[at], old[at + 1], old[at + 2], old[at + 3]] as [
        number,
        number,
        number,
        number,
      ]
      this.fill(this.slotOf(high, low), high, low, first, second)
    }
  }
}
