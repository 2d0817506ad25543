import { EventQueue, type ScheduledEvent } from './event-queue.ts'

/** What a process yields: it is handed a function that wakes the process, once, with the value it waited for. */
type Suspension = (resume: (value: unknown) => void) => void

/** A line of work in virtual time, written as a generator: it yields while it waits and returns its result. */
export type Process<T> = Generator<Suspension, T, unknown>

/** Waits until `register`'s argument is called and returns what it was called with. */
export function* suspend<T>(register: (resume: (value: T) => void) => void): Process<T> {
  return (yield register) as T
}

/** Virtual time. Nothing here looks at a real clock, so the same calls always give the same history. */
export class Kernel {
  readonly #events = new EventQueue()
  #nowMs = 0

  /** Milliseconds since the simulation began, with fractions. */
  get nowMs(): number {
    return this.#nowMs
  }

  after(delayMs: number, run: () => void): ScheduledEvent {
    return this.#events.schedule(this.#nowMs + delayMs, run)
  }

  every(intervalMs: number, firstMs: number, run: () => void): void {
    const tick = (): void => {
      run()
      this.after(intervalMs, tick)
    }
    this.after(firstMs, tick)
  }

  *sleep(delayMs: number): Process<void> {
    yield* suspend<void>((resume) => {
      this.after(delayMs, () => resume())
    })
  }

  /** Runs a process until its first wait, then on as its waits end. What it throws ends the simulation: it is a bug. */
  spawn<T>(process: Process<T>, done?: (result: T) => void): void {
    const advance = (value: unknown): void => {
      const step = process.next(value)
      if (step.done) done?.(step.value)
      else step.value(advance)
    }
    advance(undefined)
  }

  /** Runs the processes side by side and returns once all of them have ended. */
  *together(processes: Process<void>[]): Process<void> {
    if (processes.length === 0) return
    yield* suspend<void>((resume) => {
      let running = processes.length
      for (const process of processes) {
        this.spawn(process, () => {
          running -= 1
          if (running === 0) resume()
        })
      }
    })
  }

  runUntil(untilMs: number): void {
    for (let event = this.#events.takeDue(untilMs); event !== undefined; event = this.#events.takeDue(untilMs)) {
      this.#nowMs = event.atMs
      event.run()
    }
    this.#nowMs = Math.max(this.#nowMs, untilMs)
  }
}
