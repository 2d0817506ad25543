import { Gate } from '../engine/gate.ts'
import type { Kernel, Process } from '../engine/kernel.ts'
import type { DatabaseName } from '../topology/dependencies.ts'

/** The connections of one instance to one database. */
export class ConnectionPool {
  readonly name: DatabaseName
  readonly timeoutMs: number
  readonly #gate: Gate
  #toLeak = 0
  #leaked = 0
  #timeouts = 0

  constructor(kernel: Kernel, name: DatabaseName, connectionsMax: number, timeoutMs: number) {
    this.name = name
    this.timeoutMs = timeoutMs
    this.#gate = new Gate(kernel, connectionsMax)
  }

  get connectionsMax(): number {
    return this.#gate.places
  }

  get used(): number {
    return this.#gate.taken
  }

  get waiting(): number {
    return this.#gate.waiting
  }

  get timeouts(): number {
    return this.#timeouts
  }

  get leaked(): number {
    return this.#leaked
  }

  /** False when no connection came free in time. */
  *acquire(): Process<boolean> {
    const acquired = yield* this.#gate.enter(this.timeoutMs)
    if (!acquired) this.#timeouts += 1
    return acquired
  }

  release(): void {
    if (this.#toLeak > 0) {
      this.#toLeak -= 1
      this.#leaked += 1
      return
    }
    this.#gate.leave()
  }

  /** The next connection that is given back stays taken instead. */
  leakNext(): void {
    if (this.#leaked + this.#toLeak < this.connectionsMax) this.#toLeak += 1
  }

  /** Closes the leaked connections, so that those who wait get new ones. */
  reclaim(): void {
    this.#toLeak = 0
    for (; this.#leaked > 0; this.#leaked -= 1) this.#gate.leave()
  }
}
