/** FNV-1a over the bytes of an attribute's key. */
export function hashOfKey(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5 | 0
  for (let i = start; i < end; i++) hash = Math.imul(hash ^ (bytes[i] as number), 0x01000193)
  return hash
}

/** Two mixtures of the keys' hashes, which together tell sets of keys apart. */
export function addKey(halves: Uint32Array, row: number, hash: number): void {
  halves[row * 2] = Math.imul((halves[row * 2] as number) ^ hash, 0x9e3779b1)
  halves[row * 2 + 1] = Math.imul((halves[row * 2 + 1] as number) + (hash >>> 7), 0x85ebca6b) ^ hash
}
