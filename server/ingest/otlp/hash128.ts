import { finishedHash } from './word-hash.ts'

const C1 = 0x239b961b
const C2 = 0xab0e9789 | 0
const C3 = 0x38b34ae5
const C4 = 0xa1e38b93 | 0

/** MurmurHash3 x86 128 of `bytes` from `start` to `end`: four words into `out` at `at`. Not for secrets. */
export function hash128(bytes: DataView, start: number, end: number, out: Int32Array, at: number, seed = 0): void {
  let h1 = seed | 0
  let h2 = h1
  let h3 = h1
  let h4 = h1
  const length = end - start
  const blocksEnd = end - (length & 15)
  for (let i = start; i < blocksEnd; i += 16) {
    h1 ^= mixed(bytes.getInt32(i, true), C1, 15, C2)
    h1 = (Math.imul(rotated(h1, 19) + h2, 5) + 0x561ccd1b) | 0
    h2 ^= mixed(bytes.getInt32(i + 4, true), C2, 16, C3)
    h2 = (Math.imul(rotated(h2, 17) + h3, 5) + 0x0bcaa747) | 0
    h3 ^= mixed(bytes.getInt32(i + 8, true), C3, 17, C4)
    h3 = (Math.imul(rotated(h3, 15) + h4, 5) + 0x96cd1c35) | 0
    h4 ^= mixed(bytes.getInt32(i + 12, true), C4, 18, C1)
    h4 = (Math.imul(rotated(h4, 13) + h1, 5) + 0x32ac3b17) | 0
  }
  h1 ^= mixed(tailWord(bytes, blocksEnd, end), C1, 15, C2)
  h2 ^= mixed(tailWord(bytes, blocksEnd + 4, end), C2, 16, C3)
  h3 ^= mixed(tailWord(bytes, blocksEnd + 8, end), C3, 17, C4)
  h4 ^= mixed(tailWord(bytes, blocksEnd + 12, end), C4, 18, C1)

  h2 ^= length
  h3 ^= length
  h4 ^= length
  h1 = ((h1 ^ length) + h2 + h3 + h4) | 0
  h2 = finishedHash((h2 + h1) | 0)
  h3 = finishedHash((h3 + h1) | 0)
  h4 = finishedHash((h4 + h1) | 0)
  h1 = (finishedHash(h1) + h2 + h3 + h4) | 0
  out[at] = h1
  out[at + 1] = h2 + h1
  out[at + 2] = h3 + h1
  out[at + 3] = h4 + h1
}

function rotated(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits))
}

function mixed(word: number, first: number, bits: number, second: number): number {
  return Math.imul(rotated(Math.imul(word, first), bits), second)
}

/** The word at `i` with zeroes for what lies at or beyond `end`; zero changes no lane. */
function tailWord(bytes: DataView, i: number, end: number): number {
  let word = 0
  for (let k = Math.min(end - i, 4) - 1; k >= 0; k--) word = (word << 8) | bytes.getUint8(i + k)
  return word
}
