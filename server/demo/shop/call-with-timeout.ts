import { type Kernel, type Process, suspend } from '../engine/kernel.ts'

/**
 * Sends a question and waits for the answer, but no longer than the time limit; then `undefined`. The other side goes on
 * with work that nobody waits for any more, as it does in reality.
 */
export function* callWithTimeout<T>(
  kernel: Kernel,
  timeoutMs: number,
  send: (answer: (value: T) => void) => void,
): Process<T | undefined> {
  return yield* suspend<T | undefined>((resume) => {
    let isOver = false
    const settle = (value: T | undefined): void => {
      if (isOver) return
      isOver = true
      timer.cancelled = true
      resume(value)
    }
    const timer = kernel.after(timeoutMs, () => settle(undefined))
    send(settle)
  })
}

/** Tries until it succeeds, the fault is one that lasts, or the retries are used up; the last fault is returned. */
export function* withRetries<F extends { isPassing: boolean }>(
  kernel: Kernel,
  retries: number,
  attempt: (number: number) => Process<F | undefined>,
): Process<F | undefined> {
  for (let number = 0; ; number += 1) {
    const fault = yield* attempt(number)
    if (fault === undefined || !fault.isPassing || number >= retries) return fault
    yield* kernel.sleep(100 * 2 ** number)
  }
}
