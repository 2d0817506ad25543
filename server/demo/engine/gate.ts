import type { ScheduledEvent } from './event-queue.ts'
import { type Kernel, type Process, suspend } from './kernel.ts'

interface Waiter {
  admit: () => void
}

/**
 * Places that are taken and given back: worker threads, pooled connections, the queries that a database runs at once.
 * Whoever finds none free waits in line, first come first served; the line may be bounded, and so may the wait.
 */
export class Gate {
  readonly #kernel: Kernel
  readonly #line: Waiter[] = []
  readonly places: number
  readonly lineMax: number
  #taken = 0

  constructor(kernel: Kernel, places: number, lineMax = Number.POSITIVE_INFINITY) {
    this.#kernel = kernel
    this.places = places
    this.lineMax = lineMax
  }

  get taken(): number {
    return this.#taken
  }

  get waiting(): number {
    return this.#line.length
  }

  get isFull(): boolean {
    return this.#taken >= this.places && this.#line.length >= this.lineMax
  }

  /** True once a place is taken; false when none came free in time. */
  *enter(timeoutMs = Number.POSITIVE_INFINITY): Process<boolean> {
    if (this.#taken < this.places) {
      this.#taken += 1
      return true
    }
    return yield* suspend<boolean>((resume) => this.#standInLine(timeoutMs, resume))
  }

  /** The place goes to the first in line, if anyone waits. */
  leave(): void {
    const next = this.#line.shift()
    if (next === undefined) this.#taken -= 1
    else next.admit()
  }

  #standInLine(timeoutMs: number, resume: (admitted: boolean) => void): void {
    let timer: ScheduledEvent | undefined
    const waiter: Waiter = {
      admit: () => {
        if (timer !== undefined) timer.cancelled = true
        resume(true)
      },
    }
    this.#line.push(waiter)
    if (timeoutMs === Number.POSITIVE_INFINITY) return
    timer = this.#kernel.after(timeoutMs, () => {
      this.#line.splice(this.#line.indexOf(waiter), 1)
      resume(false)
    })
  }
}
