/** How many times as fast as messages usually come they can be read. */
const HEADROOM = 2.5
const ON_THE_WAY_MS = 3

/** Who reads a topic takes one message after the other; who is too slow falls behind. */
export class Queues {
  readonly #ratesPerSecond: Map<string, number>
  readonly #waits = new Map<string, { atMs: number; waitMs: number }[]>()
  readonly #freeAtMs = new Map<string, number>()

  constructor(ratesPerSecond: Map<string, number>) {
    this.#ratesPerSecond = ratesPerSecond
  }

  /** When a message that is sent now is begun with. */
  take(service: string, topic: string, atMs: number, factor: number): number {
    const key = `${service} ${topic}`
    const beginMs = Math.max(atMs + ON_THE_WAY_MS, this.#freeAtMs.get(key) ?? 0)
    const usualGapMs = 1000 / (this.#ratesPerSecond.get(topic) ?? 1)
    this.#freeAtMs.set(key, beginMs + (usualGapMs / HEADROOM) * factor)
    const waits = this.#waits.get(key) ?? []
    waits.push({ atMs, waitMs: beginMs - atMs })
    this.#waits.set(key, waits)
    return beginMs
  }

  /** How long the last message that was sent before a moment had to wait. */
  lagMs(service: string, topic: string, atMs: number): number {
    const waits = this.#waits.get(`${service} ${topic}`) ?? []
    return waits.findLast((wait) => wait.atMs <= atMs)?.waitMs ?? 0
  }
}
