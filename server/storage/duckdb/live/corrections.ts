const WORDS = 11
const FIRST_ROWS = 64

/** Where each number of a correction is among its words. */
export const CORRECTION = {
  startLow: 0,
  startHigh: 1,
  durationLow: 2,
  durationHigh: 3,
  service: 4,
  operation: 5,
  origin: 6,
  called: 7,
  dependency: 8,
  callee: 9,
  /** From the lowest byte on: kind, status, role, and what is added to `n` to make it positive. */
  small: 10,
} as const

/** Those that are numbers of texts. */
export const CORRECTION_TEXTS = [
  CORRECTION.service,
  CORRECTION.operation,
  CORRECTION.called,
  CORRECTION.dependency,
  CORRECTION.callee,
]

const ADDED_TO_N = 2

/** What was learned about spans after the file that they came in: some no longer count as what they were, but as something else. */
export class Corrections {
  size = 0
  private words = new Uint32Array(FIRST_ROWS * WORDS)

  /** Room for one more; the caller fills all of its words, from the returned place on. */
  add(): { words: Uint32Array; at: number } {
    if ((this.size + 1) * WORDS > this.words.length) {
      const grown = new Uint32Array(this.words.length * 2)
      grown.set(this.words)
      this.words = grown
    }
    return { words: this.words, at: this.size++ * WORDS }
  }

  word(row: number, word: number): number {
    return this.words[row * WORDS + word] as number
  }

  kind(row: number): number {
    return this.word(row, CORRECTION.small) & 0xff
  }

  status(row: number): number {
    return (this.word(row, CORRECTION.small) >>> 8) & 0xff
  }

  role(row: number): number {
    return (this.word(row, CORRECTION.small) >>> 16) & 0xff
  }

  n(row: number): number {
    return (this.word(row, CORRECTION.small) >>> 24) - ADDED_TO_N
  }
}

export function smallWord(kind: number, status: number, role: number, n: number): number {
  return (kind | (status << 8) | (role << 16) | ((n + ADDED_TO_N) << 24)) >>> 0
}
