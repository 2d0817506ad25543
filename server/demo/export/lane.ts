export interface LaneSetup<T> {
  batchMax: number
  inFlightMax: number
  /** Resolves when the receiver has acknowledged the batch; rejects when it never will. */
  export: (batch: T[]) => Promise<void>
  countOf: (item: T) => number
  onFailure: (error: Error, count: number) => void
}

export interface LaneCounts {
  acknowledged: number
  failed: number
}

/** The way of one signal to the server: gathers batches, and lets only so many be under way at once. */
export class Lane<T> {
  readonly #setup: LaneSetup<T>
  #gathered: T[] = []
  #inFlight = 0
  #pending = 0
  #acknowledged = 0
  #failed = 0
  #isHurried = false
  #wake: () => void = () => {}

  constructor(setup: LaneSetup<T>) {
    this.#setup = setup
  }

  /** What has not been answered yet is in neither figure. */
  get counts(): LaneCounts {
    return { acknowledged: this.#acknowledged, failed: this.#failed }
  }

  /** Sends full batches; waits while too many are under way, so that a slow server slows the sender down. */
  async add(items: readonly T[]): Promise<void> {
    for (const item of items) {
      this.#gathered.push(item)
      this.#pending += this.#setup.countOf(item)
      if (this.#gathered.length >= this.#setup.batchMax) await this.flush()
    }
  }

  /** Sends what has gathered, full or not. Resolves once it is under way, or at once where the lane is hurried. */
  async flush(): Promise<void> {
    while (this.#inFlight >= this.#setup.inFlightMax && !this.#isHurried) await this.#change()
    if (this.#gathered.length > 0 && this.#inFlight < this.#setup.inFlightMax) this.#send()
  }

  /** From now on adding and flushing wait for nobody: the demo is about to end, and `settle` does the rest. */
  hurry(): void {
    this.#isHurried = true
    this.#wake()
  }

  /** Resolves once the fate of everything is known. */
  async settle(): Promise<void> {
    while (this.#gathered.length > 0 || this.#inFlight > 0) {
      if (this.#gathered.length > 0 && this.#inFlight < this.#setup.inFlightMax) this.#send()
      await this.#change()
    }
  }

  /** Counts what was not answered as failed. */
  abandon(): void {
    this.#failed += this.#pending
    this.#pending = 0
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  #send(): void {
    const batch = this.#gathered
    this.#gathered = []
    this.#inFlight += 1
    let count = 0
    for (const item of batch) count += this.#setup.countOf(item)
    const answered = (): void => {
      this.#inFlight -= 1
      this.#pending -= count
      this.#wake()
    }
    this.#setup.export(batch).then(
      () => {
        this.#acknowledged += count
        answered()
      },
      (error: unknown) => {
        this.#failed += count
        this.#setup.onFailure(error instanceof Error ? error : new Error(String(error)), count)
        answered()
      },
    )
  }
}
