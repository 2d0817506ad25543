import { setMaxListeners } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import type { LoadOptions } from './load-options.ts'

/** Says when the next batch is due, until a limit is reached or the load is stopped. */
export class Pace {
  private readonly options: LoadOptions
  private readonly startedMs = performance.now()
  private batches = 0
  private readonly stopping = new AbortController()

  constructor(options: LoadOptions) {
    this.options = options
    setMaxListeners(options.connections, this.stopping.signal)
  }

  /** Also what waits for its moment, which may be many seconds ahead, ends now: it would count as time of the load. */
  stop(): void {
    this.stopping.abort()
  }

  /** Resolves with the moment at which the batch was due; undefined where there is no further one. */
  async next(): Promise<number | undefined> {
    const { spansPerSecond, spansPerBatch, spansMax, durationMs } = this.options
    const spansBefore = this.batches * spansPerBatch
    const dueMs =
      spansPerSecond === undefined ? performance.now() : this.startedMs + (spansBefore / spansPerSecond) * 1000
    const isOver =
      (spansMax !== undefined && spansBefore >= spansMax) ||
      (durationMs !== undefined && dueMs - this.startedMs >= durationMs)
    const { signal } = this.stopping
    if (signal.aborted || isOver) return undefined
    this.batches++
    const waitMs = dueMs - performance.now()
    if (waitMs > 0) await delay(waitMs, undefined, { signal }).catch(() => undefined)
    return signal.aborted ? undefined : dueMs
  }
}
