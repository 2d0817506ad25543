/** A seeded source of chance (sfc32): the same seed gives the same numbers on every machine. */
export class Random {
  #a: number
  #b: number
  #c: number
  #counter = 1

  constructor(seed: string) {
    this.#a = hash(seed, 0x9e3779b9)
    this.#b = hash(seed, 0x243f6a88)
    this.#c = hash(seed, 0xb7e15162)
    for (let i = 0; i < 12; i += 1) this.uint32()
  }

  uint32(): number {
    const sum = (((this.#a + this.#b) | 0) + this.#counter) | 0
    this.#counter = (this.#counter + 1) | 0
    this.#a = this.#b ^ (this.#b >>> 9)
    this.#b = (this.#c + (this.#c << 3)) | 0
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum
    this.#c |= 0
    return sum >>> 0
  }

  /** At least 0, below 1. */
  unit(): number {
    return this.uint32() / 4_294_967_296
  }

  chance(share: number): boolean {
    return this.unit() < share
  }

  integer(below: number): number {
    return Math.floor(this.unit() * below)
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.integer(items.length)]
    if (item === undefined) throw new Error('Nothing to pick from.')
    return item
  }

  exponential(mean: number): number {
    return -Math.log(1 - this.unit()) * mean
  }

  /** Skewed like real service times: half of the values lie below `median`, a few lie far above. */
  lognormal(median: number, sigma: number): number {
    const normal = Math.sqrt(-2 * Math.log(1 - this.unit())) * Math.cos(2 * Math.PI * this.unit())
    return median * Math.exp(sigma * normal)
  }

  /** Eight hex digits for each word; never all zero, which OpenTelemetry holds to be no id. */
  hex(words: number): string {
    let text = ''
    let bits = 0
    for (let i = 0; i < words; i += 1) {
      const word = this.uint32()
      bits |= word
      text += hexOf(word >>> 24) + hexOf((word >>> 16) & 255) + hexOf((word >>> 8) & 255) + hexOf(word & 255)
    }
    return bits === 0 ? this.hex(words) : text
  }
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

function hexOf(byte: number): string {
  return HEX[byte] ?? '00'
}

function hash(text: string, start: number): number {
  let value = start
  for (let i = 0; i < text.length; i += 1) {
    value = Math.imul(value ^ text.charCodeAt(i), 0x01000193)
    value ^= value >>> 15
  }
  return Math.imul(value, 0x85ebca6b) | 0
}
