import { type Latencies, percentilesMs } from '../../../domain/latencies.ts'
import type { BucketRun } from '../kept/kept-sums.ts'
import { BUCKETS_MAX, CountSums } from '../latencies/count-sums.ts'
import { GroupSums } from '../live/group-sums.ts'
import { CountRuns } from './count-runs.ts'

/** So many groups have a place for each bucket: 16 KB each. What is in further groups is looked up. */
const PLACED_GROUPS = 2_000
/** Durations of more than ten years are in none of these. */
const PLACED_BUCKETS = 2_048
const BUCKET_MASK = BUCKETS_MAX - 1

/** How many requests of each group took how long. */
export class BucketCounts {
  private readonly placed: (Float64Array | undefined)[] = []
  private readonly runs = new CountRuns()
  private readonly ofGroup = new CountSums()
  private readonly buckets: number[] = []
  private readonly counts: number[] = []
  /** By group and bucket. */
  private readonly others = new GroupSums(1)
  private othersSorted: SortedCounts | undefined
  isEmpty = true

  add(group: number, bucket: number, n: number): void {
    this.isEmpty = false
    if (group < PLACED_GROUPS && bucket < PLACED_BUCKETS) {
      const counts = this.placesOf(group)
      counts[bucket] = (counts[bucket] as number) + n
      return
    }
    const at = this.others.at(group, bucket, 0, 0, 0)
    this.others.sums[at] = (this.others.sums[at] as number) + n
  }

  /** The same for many at one go, of which there may be a million. */
  addRun(group: number, { keys, counts: added, first, end }: BucketRun): void {
    if (group >= PLACED_GROUPS || ((keys[end - 1] as number) & BUCKET_MASK) >= PLACED_BUCKETS) {
      for (let i = first; i < end; i++) this.add(group, (keys[i] as number) & BUCKET_MASK, added[i] as number)
      return
    }
    this.isEmpty = false
    const counts = this.placesOf(group)
    for (let i = first; i < end; i++) {
      const bucket = (keys[i] as number) & BUCKET_MASK
      counts[bucket] = (counts[bucket] as number) + (added[i] as number)
    }
  }

  addPacked(groups: Uint32Array, packed: Uint8Array[]): void {
    if (packed.length > 0) this.isEmpty = false
    this.runs.add(groups, packed)
  }

  private placesOf(group: number): Float64Array {
    const known = this.placed[group] ?? new Float64Array(PLACED_BUCKETS)
    this.placed[group] = known
    return known
  }

  /** To be called once all are added. */
  of(group: number): Latencies {
    const { buckets, counts } = this.told(group)
    return { exactNs: undefined, buckets: buckets.slice(), counts: counts.slice() }
  }

  /** The same as of its latencies, which takes longer where there are thousands of groups. */
  percentilesMs(group: number, percents: number[]): number[] {
    const { buckets, counts } = this.told(group)
    return percentilesMs({ exactNs: undefined, buckets, counts }, percents)
  }

  /** By ascending bucket; until another group is asked for. */
  private told(group: number): { buckets: number[]; counts: number[] } {
    this.othersSorted ??= sortedCounts(this.others)
    const { firsts, buckets: otherBuckets, counts: otherCounts } = this.othersSorted
    const placed = this.placed[group]
    const [firstOther, otherEnd] = [firsts[group] ?? 0, firsts[group + 1] ?? 0]
    this.buckets.length = 0
    this.counts.length = 0
    if (!placed && firstOther === otherEnd) this.runs.each(group, this.tell)
    else {
      if (placed)
        for (let bucket = 0; bucket < PLACED_BUCKETS; bucket++)
          if (placed[bucket] !== 0) this.ofGroup.add(bucket, placed[bucket] as number)
      this.runs.each(group, (bucket, count) => this.ofGroup.add(bucket, count))
      for (let i = firstOther; i < otherEnd; i++) this.ofGroup.add(otherBuckets[i] as number, otherCounts[i] as number)
      this.ofGroup.take(this.tell)
    }
    return { buckets: this.buckets, counts: this.counts }
  }

  private readonly tell = (bucket: number, count: number): void => {
    this.buckets.push(bucket)
    this.counts.push(count)
  }
}

/** Counts by group, and in each of them by bucket: those of a group begin at its place in `firsts`. */
interface SortedCounts {
  firsts: Uint32Array
  buckets: Int32Array
  counts: Float64Array
}

/** Without an object for each count: there may be hundreds of thousands. */
function sortedCounts(sums: GroupSums): SortedCounts {
  let groups = 0
  for (let i = 0; i < sums.size; i++) groups = Math.max(groups, sums.key(i, 0) + 1)
  const firsts = new Uint32Array(groups + 1)
  for (let i = 0; i < sums.size; i++) {
    const after = sums.key(i, 0) + 1
    firsts[after] = (firsts[after] as number) + 1
  }
  for (let group = 1; group <= groups; group++)
    firsts[group] = (firsts[group] as number) + (firsts[group - 1] as number)
  const sorted = { firsts, buckets: new Int32Array(sums.size), counts: new Float64Array(sums.size) }
  const filled = new Uint32Array(groups)
  for (let i = 0; i < sums.size; i++) {
    const group = sums.key(i, 0)
    const first = firsts[group] as number
    const size = filled[group] as number
    filled[group] = size + 1
    insert(sorted, first, first + size, sums.key(i, 1), sums.sum(i, 0))
  }
  return sorted
}

/** Into a sorted stretch, which has room for one more at its end. */
function insert({ buckets, counts }: SortedCounts, first: number, end: number, bucket: number, count: number): void {
  let at = end
  for (; at > first && (buckets[at - 1] as number) > bucket; at--) {
    buckets[at] = buckets[at - 1] as number
    counts[at] = counts[at - 1] as number
  }
  buckets[at] = bucket
  counts[at] = count
}
