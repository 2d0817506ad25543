export const BUCKET_BITS = 12
/** No duration is in a bucket beyond. */
export const BUCKETS_MAX = 2 ** BUCKET_BITS

/** Adds up counts by bucket, of one series at a time. */
export class CountSums {
  private readonly counts = new Float64Array(BUCKETS_MAX)
  private lowest = BUCKETS_MAX
  private highest = -1

  add(bucket: number, count: number): void {
    this.counts[bucket] = (this.counts[bucket] as number) + count
    if (bucket < this.lowest) this.lowest = bucket
    if (bucket > this.highest) this.highest = bucket
  }

  /** What has not come to nothing, by ascending bucket; begins anew. */
  take(each: (bucket: number, count: number) => void): void {
    const { counts, lowest, highest } = this
    for (let bucket = lowest; bucket <= highest; bucket++) {
      const count = counts[bucket] as number
      if (count !== 0) each(bucket, count)
    }
    counts.fill(0, lowest, highest + 1)
    this.lowest = BUCKETS_MAX
    this.highest = -1
  }
}
