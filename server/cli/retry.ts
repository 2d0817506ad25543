import { setTimeout as sleep } from 'node:timers/promises'
import { RequestFailed } from './request-failed.ts'

export interface Patience {
  /** How long one call may go on trying, waits included. */
  patienceMs: number
  /** A server that cannot be reached may be starting again. */
  waitsForServer: boolean
  signal?: AbortSignal
  /** Told before each wait. */
  onWait?: (fault: RequestFailed, delayMs: number) => void
}

const FIRST_DELAY_MS = 250
const DELAY_MS_MAX = 10_000

/** Tries until it succeeds, or fails for good, or patience is at its end: then the last failure is thrown. */
export async function retrying<T>(attempt: () => Promise<T>, patience: Patience): Promise<T> {
  const deadlineMs = performance.now() + patience.patienceMs
  for (let failures = 0; ; failures++) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof RequestFailed) || !passes(error, patience)) throw error
      const delayMs = delayAfter(failures, error.retryAfterMs)
      if (performance.now() + delayMs > deadlineMs || patience.signal?.aborted) throw error
      patience.onWait?.(error, delayMs)
      await sleep(delayMs, undefined, patience.signal && { signal: patience.signal }).catch(() => {
        throw error
      })
    }
  }
}

function passes(error: RequestFailed, { waitsForServer }: Patience): boolean {
  return error.kind === 'busy' || (error.kind === 'unreachable' && waitsForServer)
}

/** Never sooner than the server asked for, and never all clients at once. */
export function delayAfter(failures: number, retryAfterMs: number | undefined, random = Math.random): number {
  if (retryAfterMs !== undefined) return Math.ceil(retryAfterMs * (1 + 0.1 * random()))
  const ceilingMs = Math.min(FIRST_DELAY_MS * 2 ** failures, DELAY_MS_MAX)
  return Math.ceil(ceilingMs * (0.5 + 0.5 * random()))
}
