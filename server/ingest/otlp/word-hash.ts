/** For places in tables that words lie in. To be ended by `finishedHash`. */
export function mixedHash(hash: number, word: number): number {
  const product = Math.imul(hash ^ word, 0x9e3779b1)
  return product ^ (product >>> 15)
}

/** Lets every bit of a hash decide about every other one, as MurmurHash3 does in the end. */
export function finishedHash(hash: number): number {
  let h = hash
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return h ^ (h >>> 16)
}
