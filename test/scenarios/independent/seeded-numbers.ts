/** The same numbers for the same seed, on every machine: a 32-bit xorshift, scrambled. */
export class SeededNumbers {
  private state: number

  constructor(seed: number) {
    this.state = (seed * 2_654_435_761) >>> 0 || 1
    for (let i = 0; i < 8; i++) this.fraction()
  }

  /** At least 0, below 1. */
  fraction(): number {
    this.state ^= this.state << 13
    this.state ^= this.state >>> 17
    this.state ^= this.state << 5
    return (Math.imul(this.state, 0x9e3779b1) >>> 0) / 2 ** 32
  }

  below(limit: number): number {
    return Math.floor(this.fraction() * limit)
  }

  chance(probability: number): boolean {
    return this.fraction() < probability
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)] as T
  }

  /** Around 1, never below 0, now and then much more: the logarithm is normal with this deviation. */
  spread(deviation: number): number {
    const radius = Math.sqrt(-2 * Math.log(1 - this.fraction()))
    return Math.exp(deviation * radius * Math.cos(2 * Math.PI * this.fraction()))
  }

  hex(digits: number): string {
    let text = ''
    while (text.length < digits)
      text += this.below(2 ** 32)
        .toString(16)
        .padStart(8, '0')
    return text.slice(0, digits)
  }

  shuffled<T>(items: readonly T[]): T[] {
    return items
      .map((item) => ({ item, key: this.fraction() }))
      .sort((a, b) => a.key - b.key)
      .map(({ item }) => item)
  }
}
