/** Counts failed authentications by address. A valid credential is never held up by them. */
export interface FailedLogins {
  /** False where this address has failed too often in the last minute. */
  allow(address: string): boolean
  record(address: string): void
}

const WINDOW_MS = 60_000
const FAILURES_MAX = 30
const ADDRESSES_MAX = 10_000

/** With more addresses than are kept, the one that began to fail first is forgotten. */
export function createFailedLogins(clock: () => number): FailedLogins {
  const failures = new Map<string, { count: number; sinceMs: number }>()

  function current(address: string): { count: number; sinceMs: number } | undefined {
    const entry = failures.get(address)
    return entry !== undefined && clock() - entry.sinceMs < WINDOW_MS ? entry : undefined
  }

  return {
    allow: (address) => (current(address)?.count ?? 0) < FAILURES_MAX,
    record(address) {
      const entry = current(address)
      if (entry !== undefined) {
        entry.count += 1
        return
      }
      failures.delete(address)
      if (failures.size >= ADDRESSES_MAX) {
        const [oldest] = failures.keys()
        if (oldest !== undefined) failures.delete(oldest)
      }
      failures.set(address, { count: 1, sinceMs: clock() })
    },
  }
}
