const KEY_WORDS = 5
const FIRST_GROUPS = 64

/** Sums by groups, to be read. Of a group's numbers, the first tells its minute, kind and role. */
export interface Sums {
  readonly size: number
  key(group: number, word: number): number
  sum(group: number, column: number): number
}

/** Sums by groups; a group is known by up to five 32-bit numbers. Open addressing in typed arrays: a sum costs no garbage. */
export class GroupSums implements Sums {
  size = 0
  /** `group * 5` is where the numbers of a group begin. */
  keys = new Uint32Array(FIRST_GROUPS * KEY_WORDS)
  /** `group * columns` is where the sums of a group begin. */
  sums: Float64Array
  readonly columns: number
  /** The number of a group and one; 0 where a slot is free. */
  private slots = new Uint32Array(FIRST_GROUPS * 2)

  constructor(columns: number) {
    this.columns = columns
    this.sums = new Float64Array(FIRST_GROUPS * columns)
  }

  /** Where the sums of this group begin. */
  at(a: number, b: number, c: number, d: number, e: number): number {
    const mask = this.slots.length - 1
    let slot = stirred(a, b, c, d, e) & mask
    for (;;) {
      const found = this.slots[slot] as number
      if (found === 0) break
      if (this.isGroup((found - 1) * KEY_WORDS, a, b, c, d, e)) return (found - 1) * this.columns
      slot = (slot + 1) & mask
    }
    return this.add(slot, a, b, c, d, e)
  }

  /** The same, but -1 where there is no such group. */
  find(a: number, b: number, c: number, d: number, e: number): number {
    const mask = this.slots.length - 1
    for (let slot = stirred(a, b, c, d, e) & mask; ; slot = (slot + 1) & mask) {
      const found = this.slots[slot] as number
      if (found === 0) return -1
      if (this.isGroup((found - 1) * KEY_WORDS, a, b, c, d, e)) return (found - 1) * this.columns
    }
  }

  get bytes(): number {
    return this.keys.byteLength + this.sums.byteLength + this.slots.byteLength
  }

  key(group: number, word: number): number {
    return this.keys[group * KEY_WORDS + word] as number
  }

  sum(group: number, column: number): number {
    return this.sums[group * this.columns + column] as number
  }

  private isGroup(at: number, a: number, b: number, c: number, d: number, e: number): boolean {
    const { keys } = this
    return keys[at] === a && keys[at + 1] === b && keys[at + 2] === c && keys[at + 3] === d && keys[at + 4] === e
  }

  private add(slot: number, a: number, b: number, c: number, d: number, e: number): number {
    if ((this.size + 1) * KEY_WORDS > this.keys.length) return this.growAndAdd(a, b, c, d, e)
    const group = this.size++
    const { keys } = this
    const at = group * KEY_WORDS
    keys[at] = a
    keys[at + 1] = b
    keys[at + 2] = c
    keys[at + 3] = d
    keys[at + 4] = e
    this.slots[slot] = group + 1
    return group * this.columns
  }

  /** Makes room for so many groups at one go. */
  reserve(groups: number): void {
    let room = this.keys.length / KEY_WORDS
    while (room < groups) room *= 2
    if (room * KEY_WORDS > this.keys.length) this.growTo(room)
  }

  private growAndAdd(a: number, b: number, c: number, d: number, e: number): number {
    this.growTo((this.keys.length / KEY_WORDS) * 2)
    return this.at(a, b, c, d, e)
  }

  private growTo(groups: number): void {
    const keys = new Uint32Array(groups * KEY_WORDS)
    const sums = new Float64Array(groups * this.columns)
    keys.set(this.keys)
    sums.set(this.sums)
    this.keys = keys
    this.sums = sums
    this.slots = new Uint32Array(groups * 2)
    const mask = this.slots.length - 1
    for (let group = 0; group < this.size; group++) {
      const key = (word: number) => keys[group * KEY_WORDS + word] as number
      let slot = stirred(key(0), key(1), key(2), key(3), key(4)) & mask
      while (this.slots[slot] !== 0) slot = (slot + 1) & mask
      this.slots[slot] = group + 1
    }
  }
}

function stirred(a: number, b: number, c: number, d: number, e: number): number {
  let mixed = Math.imul(a ^ 0x9e3779b9, 0x85ebca6b)
  mixed = Math.imul((mixed ^ (mixed >>> 15)) + b, 0xcc9e2d51)
  mixed = Math.imul((mixed ^ (mixed >>> 13)) + c, 0x85ebca6b)
  mixed = Math.imul((mixed ^ (mixed >>> 15)) + d, 0xcc9e2d51)
  mixed = Math.imul((mixed ^ (mixed >>> 13)) + e, 0x85ebca6b)
  return mixed ^ (mixed >>> 16)
}
