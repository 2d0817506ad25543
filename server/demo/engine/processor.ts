import type { ScheduledEvent } from './event-queue.ts'
import { type Kernel, type Process, suspend } from './kernel.ts'

interface Job {
  /** The attained share of work, per job, at which this one is done. */
  readonly doneAt: number
  readonly resume: () => void
}

/**
 * The processor of one instance: everything that computes shares its cores evenly, and nothing gets more than one core.
 * Twice the work at once takes twice as long, as on a real machine with a processor limit.
 */
export class Processor {
  readonly #kernel: Kernel
  readonly cores: number
  readonly #jobs: Job[] = []
  #speed = 1
  #attainedMs = 0
  #updatedMs: number
  #busyCoreMs = 0
  #timer: ScheduledEvent | undefined

  constructor(kernel: Kernel, cores: number) {
    this.#kernel = kernel
    this.cores = cores
    this.#updatedMs = kernel.nowMs
  }

  /** 1 is healthy; 0.1 does a tenth of the work in the same time while looking just as busy. */
  set speed(value: number) {
    this.#update()
    this.#speed = value
    this.#reschedule()
  }

  /** Core-milliseconds spent since the start, for measuring utilization between two moments. */
  get busyCoreMs(): number {
    this.#update()
    return this.#busyCoreMs
  }

  *compute(workMs: number): Process<void> {
    yield* suspend<void>((resume) => {
      this.#update()
      this.#insert({ doneAt: this.#attainedMs + workMs, resume: () => resume() })
      this.#reschedule()
    })
  }

  #insert(job: Job): void {
    let index = this.#jobs.length
    while (index > 0 && (this.#jobs[index - 1]?.doneAt ?? 0) > job.doneAt) index -= 1
    this.#jobs.splice(index, 0, job)
  }

  #coresInUse(): number {
    return Math.min(this.#jobs.length, this.cores)
  }

  #ratePerJob(): number {
    return this.#jobs.length === 0 ? 0 : (this.#coresInUse() / this.#jobs.length) * this.#speed
  }

  #update(): void {
    const elapsedMs = this.#kernel.nowMs - this.#updatedMs
    this.#attainedMs += elapsedMs * this.#ratePerJob()
    this.#busyCoreMs += elapsedMs * this.#coresInUse()
    this.#updatedMs = this.#kernel.nowMs
  }

  #reschedule(): void {
    if (this.#timer !== undefined) this.#timer.cancelled = true
    const next = this.#jobs[0]
    if (next === undefined) return
    const delayMs = Math.max(0, next.doneAt - this.#attainedMs) / this.#ratePerJob()
    this.#timer = this.#kernel.after(delayMs, () => this.#finishFirst())
  }

  #finishFirst(): void {
    this.#update()
    const job = this.#jobs.shift()
    this.#reschedule()
    job?.resume()
  }
}
