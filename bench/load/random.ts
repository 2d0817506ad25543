/** A seeded source of random numbers (xoshiro128**): the same seed gives the same load. */
export class Random {
  private a: number
  private b: number
  private c: number
  private d: number

  constructor(seed: number) {
    // Spreads a small seed over the whole state (splitmix32).
    let state = seed >>> 0
    const next = () => {
      state = (state + 0x9e3779b9) >>> 0
      let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad)
      mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
      return (mixed ^ (mixed >>> 15)) >>> 0
    }
    this.a = next()
    this.b = next()
    this.c = next()
    this.d = next()
  }

  uint32(): number {
    const mixed = Math.imul(this.b, 5)
    const result = Math.imul((mixed << 7) | (mixed >>> 25), 9) >>> 0
    const shifted = this.b << 9
    this.c ^= this.a
    this.d ^= this.b
    this.b ^= this.c
    this.a ^= this.d
    this.c ^= shifted
    this.d = (this.d << 11) | (this.d >>> 21)
    return result
  }

  /** From 0 to just below 1. */
  unit(): number {
    return this.uint32() / 4_294_967_296
  }

  below(limit: number): number {
    return Math.floor(this.unit() * limit)
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T
  }

  /** Half of the values lie below the median; `spread` is the deviation of their logarithm. */
  logNormal(median: number, spread: number): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.unit()))
    return median * Math.exp(spread * radius * Math.cos(2 * Math.PI * this.unit()))
  }
}
