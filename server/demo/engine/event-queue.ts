/** Something that happens at a moment. Cancelling is free: a cancelled event is passed over when its turn comes. */
export interface ScheduledEvent {
  readonly atMs: number
  readonly order: number
  readonly run: () => void
  cancelled: boolean
}

/** A binary heap, earliest first; events of one moment run in the order in which they were scheduled. */
export class EventQueue {
  readonly #heap: ScheduledEvent[] = []
  #order = 0

  schedule(atMs: number, run: () => void): ScheduledEvent {
    const event: ScheduledEvent = { atMs, order: this.#order++, run, cancelled: false }
    this.#heap.push(event)
    this.#raise(this.#heap.length - 1)
    return event
  }

  /** Removes and returns the earliest event that is due at `untilMs` or before. */
  takeDue(untilMs: number): ScheduledEvent | undefined {
    for (;;) {
      const first = this.#heap[0]
      if (first === undefined || first.atMs > untilMs) return undefined
      this.#removeFirst()
      if (!first.cancelled) return first
    }
  }

  #removeFirst(): void {
    const last = this.#heap.pop()
    if (last === undefined || this.#heap.length === 0) return
    this.#heap[0] = last
    this.#sink(0)
  }

  #raise(start: number): void {
    let index = start
    while (index > 0) {
      const parent = (index - 1) >> 1
      if (!this.#swapIfEarlier(index, parent)) return
      index = parent
    }
  }

  #sink(start: number): void {
    let index = start
    for (;;) {
      const left = 2 * index + 1
      const right = left + 1
      const child = this.#isEarlier(right, left) ? right : left
      if (!this.#swapIfEarlier(child, index)) return
      index = child
    }
  }

  #isEarlier(first: number, second: number): boolean {
    const a = this.#heap[first]
    const b = this.#heap[second]
    if (a === undefined || b === undefined) return false
    return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order)
  }

  #swapIfEarlier(lower: number, upper: number): boolean {
    if (!this.#isEarlier(lower, upper)) return false
    const a = this.#heap[lower]
    const b = this.#heap[upper]
    if (a === undefined || b === undefined) return false
    this.#heap[upper] = a
    this.#heap[lower] = b
    return true
  }
}
