/** One bucket of tokens, which holds a minute's worth and refills continuously. */
export interface Bucket {
  key: string
  perMinute: number
}

export interface Allowance {
  limit: number
  remaining: number
  /** Until the bucket is full again. */
  resetSeconds: number
}

export interface Taken {
  granted: boolean
  /** Of the bucket with the fewest tokens left; of the one that refused where none was granted. */
  tightest: Allowance
  /** At least 1; how long until the same would be granted. */
  retryAfterSeconds: number
}

/** Where tokens are counted. Asynchronous, so that several servers can share one. */
export interface TokenBuckets {
  /** Takes one token out of every bucket, or none out of any. */
  take(buckets: [Bucket, ...Bucket[]], nowMs: number): Promise<Taken>
  /** What is left, without taking any. */
  look(buckets: [Bucket, ...Bucket[]], nowMs: number): Promise<Allowance>
}

const MINUTE_MS = 60_000
/** Forgives the rounding of fractions. */
const EPSILON_MS = 1e-6

interface Level {
  bucket: Bucket
  /** How long the bucket needs to fill up: 0 is full, a minute is empty. Holds its meaning when the limit changes. */
  debtMs: number
  costMs: number
}

/**
 * Counts in this process. A bucket is one number, the time at which it will be full, so that a full one need not be
 * kept; beyond `bucketsMax` the one that was used longest ago is forgotten.
 */
export function createMemoryBuckets(bucketsMax = 100_000): TokenBuckets {
  const fullAtMs = new Map<string, number>()

  function levelOf(bucket: Bucket, nowMs: number): Level {
    const debtMs = Math.min(Math.max((fullAtMs.get(bucket.key) ?? 0) - nowMs, 0), MINUTE_MS)
    return { bucket, debtMs, costMs: MINUTE_MS / bucket.perMinute }
  }

  function spend(level: Level, nowMs: number): Level {
    const debtMs = level.debtMs + level.costMs
    fullAtMs.delete(level.bucket.key)
    fullAtMs.set(level.bucket.key, nowMs + debtMs)
    return { ...level, debtMs }
  }

  /** Re-inserted at every use, the keys stand in the order of their last use, so full buckets gather at the front. */
  function forget(nowMs: number): void {
    for (const [key, fullAt] of fullAtMs) {
      if (fullAt > nowMs && fullAtMs.size <= bucketsMax) return
      fullAtMs.delete(key)
    }
  }

  return {
    async take(buckets, nowMs) {
      const levels = buckets.map((bucket) => levelOf(bucket, nowMs))
      const waits = levels.map(waitMsOf)
      const waitMs = Math.max(...waits)
      const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000))
      if (waitMs > 0) {
        const refusing = levels.filter((_, index) => waits[index] === waitMs)
        return { granted: false, tightest: tightestOf(refusing), retryAfterSeconds }
      }
      const tightest = tightestOf(levels.map((level) => spend(level, nowMs)))
      forget(nowMs)
      return { granted: true, tightest, retryAfterSeconds }
    },
    async look(buckets, nowMs) {
      return tightestOf(buckets.map((bucket) => levelOf(bucket, nowMs)))
    },
  }
}

function waitMsOf({ debtMs, costMs }: Level): number {
  const lackingMs = debtMs + costMs - MINUTE_MS
  return lackingMs > EPSILON_MS ? lackingMs : 0
}

function tightestOf(levels: Level[]): Allowance {
  const allowances = levels.map(({ bucket, debtMs, costMs }) => ({
    limit: bucket.perMinute,
    remaining: Math.max(0, Math.floor((MINUTE_MS - debtMs + EPSILON_MS) / costMs)),
    resetSeconds: Math.ceil(debtMs / 1000),
  }))
  return allowances.reduce((tightest, next) =>
    next.remaining < tightest.remaining || (next.remaining === tightest.remaining && next.limit < tightest.limit)
      ? next
      : tightest,
  )
}
