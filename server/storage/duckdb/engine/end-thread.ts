/** For a fault that only a new process mends: an error that nobody catches. */
export function endThread(error: Error): void {
  setImmediate(() => {
    throw error
  })
}
