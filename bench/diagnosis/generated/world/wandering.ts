import { Random } from '../../../../server/demo/engine/random.ts'

const MINUTE_MS = 60_000
/** How much of a minute's deviation is still there in the next one. */
const PERSISTENCE = 0.8

/** Nothing is equally fast all the time: caches fill, neighbours come and go. The speed of each part wanders, and returns. */
export class Wandering {
  readonly #seed: string
  readonly #step: number
  readonly #parts = new Map<string, { random: Random; minutes: number[] }>()

  constructor(seed: string, step: number) {
    this.#seed = seed
    this.#step = step
  }

  /** How many times as long as usual things take. */
  factor(part: string, atMs: number): number {
    const known = this.#parts.get(part) ?? { random: new Random(`${this.#seed} wandering ${part}`), minutes: [] }
    this.#parts.set(part, known)
    const minute = Math.max(0, Math.floor(atMs / MINUTE_MS))
    while (known.minutes.length <= minute) {
      const step = Math.log(known.random.lognormal(1, this.#step))
      known.minutes.push((known.minutes.at(-1) ?? 0) * PERSISTENCE + step)
    }
    return Math.exp(known.minutes[minute] ?? 0)
  }
}
