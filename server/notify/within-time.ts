/** Runs work with a signal that calls it off after a while, or when the other one does. */
export async function withinTime<T>(
  timeoutMs: number,
  other: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  // `AbortSignal.timeout` may be collected before it fires.
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(new DOMException('', 'TimeoutError')), timeoutMs)
  const callOff = () => controller.abort(other.reason)
  if (other.aborted) callOff()
  other.addEventListener('abort', callOff)
  try {
    return await work(controller.signal)
  } finally {
    clearTimeout(timer)
    other.removeEventListener('abort', callOff)
  }
}

/** Stops waiting for work that cannot be called off. */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason)
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
