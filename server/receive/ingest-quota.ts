/** Records a second that each Grid may send, as token buckets that hold one second's worth. */
interface IngestQuota {
  /** How long until the Grid may send again; 0 where it may now. A Grid without a quota always may. */
  waitMs(gridId: string, recordsPerSecond: number | null): number
  /** How many records a request holds is known only afterwards: a bucket goes into debt and pays it back in time. */
  spend(gridId: string, recordsPerSecond: number | null, records: number): void
}

interface Bucket {
  tokens: number
  recordsPerSecond: number
  atMs: number
}

const BUCKETS_BEFORE_SWEEP = 1_000
const WAIT_WITHOUT_ANY_QUOTA_MS = 60_000

export function createIngestQuota(clock: () => number): IngestQuota {
  const buckets = new Map<string, Bucket>()

  function refilled(gridId: string, recordsPerSecond: number): Bucket {
    const nowMs = clock()
    const before = buckets.get(gridId)
    if (before === undefined) return { tokens: recordsPerSecond, recordsPerSecond, atMs: nowMs }
    const earned = (Math.max(0, nowMs - before.atMs) / 1_000) * recordsPerSecond
    return { tokens: Math.min(recordsPerSecond, before.tokens + earned), recordsPerSecond, atMs: nowMs }
  }

  /** A bucket that is full again is as good as none. */
  function sweep(): void {
    for (const [gridId, { recordsPerSecond }] of buckets) {
      if (refilled(gridId, recordsPerSecond).tokens >= recordsPerSecond) buckets.delete(gridId)
    }
  }

  return {
    waitMs(gridId, recordsPerSecond) {
      if (recordsPerSecond === null) return 0
      if (recordsPerSecond <= 0) return WAIT_WITHOUT_ANY_QUOTA_MS
      const { tokens } = refilled(gridId, recordsPerSecond)
      return tokens >= 0 ? 0 : Math.ceil((-tokens / recordsPerSecond) * 1_000)
    },
    spend(gridId, recordsPerSecond, records) {
      if (recordsPerSecond === null || recordsPerSecond <= 0) {
        buckets.delete(gridId)
        return
      }
      if (buckets.size >= BUCKETS_BEFORE_SWEEP && !buckets.has(gridId)) sweep()
      const bucket = refilled(gridId, recordsPerSecond)
      bucket.tokens -= records
      buckets.set(gridId, bucket)
    },
  }
}
