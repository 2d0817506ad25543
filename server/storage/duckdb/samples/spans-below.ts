import type { DrawnSpans } from './drawn-spans.ts'

/** The spans right below each one that was drawn, as a chain: `for (let row = below.last(…); row >= 0; row = below.before(row))`. */
export class SpansBelow {
  private readonly lasts: Int32Array
  private readonly befores: Int32Array

  constructor({ size, parent }: DrawnSpans) {
    this.lasts = new Int32Array(size).fill(-1)
    this.befores = new Int32Array(size)
    for (let row = 0; row < size; row++) {
      const above = parent[row] as number
      if (above < 0) continue
      this.befores[row] = this.lasts[above] as number
      this.lasts[above] = row
    }
  }

  /** The last span below this one, or -1. */
  last(row: number): number {
    return this.lasts[row] as number
  }

  /** The one before it below the same span, or -1. */
  before(row: number): number {
    return this.befores[row] as number
  }
}
