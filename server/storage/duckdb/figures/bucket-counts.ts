import type { Latencies } from '../../../domain/latencies.ts'
import { GroupSums } from '../live/group-sums.ts'

/** So many groups have a place for each bucket: 16 KB each. What is in further groups is looked up. */
const PLACED_GROUPS = 2_000
/** Durations of more than ten years are in none of these. */
const PLACED_BUCKETS = 2_048

/** How many requests of each group took how long. */
export class BucketCounts {
  private readonly placed: (Float64Array | undefined)[] = []
  /** By group and bucket. */
  private readonly others = new GroupSums(1)
  private othersByGroup: Map<number, [bucket: number, count: number][]> | undefined
  isEmpty = true

  add(group: number, bucket: number, n: number): void {
    this.isEmpty = false
    if (group < PLACED_GROUPS && bucket < PLACED_BUCKETS) {
      let counts = this.placed[group]
      if (!counts) {
        counts = new Float64Array(PLACED_BUCKETS)
        this.placed[group] = counts
      }
      counts[bucket] = (counts[bucket] as number) + n
      return
    }
    const at = this.others.at(group, bucket, 0, 0, 0)
    this.others.sums[at] = (this.others.sums[at] as number) + n
  }

  /** To be called once all are added. */
  of(group: number): Latencies {
    this.othersByGroup ??= this.sortedOthers()
    const buckets: number[] = []
    const counts: number[] = []
    const add = (bucket: number, count: number) => {
      if (count === 0) return
      buckets.push(bucket)
      counts.push(count)
    }
    const placed = this.placed[group]
    if (placed) for (let bucket = 0; bucket < PLACED_BUCKETS; bucket++) add(bucket, placed[bucket] as number)
    for (const [bucket, count] of this.othersByGroup.get(group) ?? []) add(bucket, count)
    return { exactNs: undefined, buckets, counts }
  }

  private sortedOthers(): Map<number, [bucket: number, count: number][]> {
    const byGroup = new Map<number, [number, number][]>()
    for (let i = 0; i < this.others.size; i++) {
      const group = this.others.key(i, 0)
      const counts = byGroup.get(group) ?? []
      byGroup.set(group, counts)
      counts.push([this.others.key(i, 1), this.others.sum(i, 0)])
    }
    for (const counts of byGroup.values()) counts.sort(([a], [b]) => a - b)
    return byGroup
  }
}
