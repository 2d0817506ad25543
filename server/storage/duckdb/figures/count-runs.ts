import { CountSums } from '../latencies/count-sums.ts'
import { eachCount } from '../latencies/packed-counts.ts'

const FIRST_COUNTS = 1_024

/** Counts of many groups, those of a group by ascending bucket one after the other. */
export class CountRuns {
  private buckets = new Uint16Array(FIRST_COUNTS)
  private counts = new Float64Array(FIRST_COUNTS)
  private size = 0
  /** Where the counts of each group begin and end. */
  private firsts = new Uint32Array(0)
  private ends = new Uint32Array(0)
  private readonly ofGroup = new CountSums()

  /** What rows have packed, each of the group beside it. Rows of a group are added up together, so that no count is looked up. */
  add(groups: Uint32Array, packed: Uint8Array[]): void {
    const { ofGroup } = this
    const [rows, ends] = rowsByGroup(groups)
    this.reserveGroups(ends.length)
    const add = (bucket: number, count: number) => ofGroup.add(bucket, count)
    const put = (bucket: number, count: number) => this.put(bucket, count)
    for (let group = 0, at = 0; group < ends.length; group++) {
      const end = ends[group] as number
      if (at === end) continue
      this.each(group, add)
      for (; at < end; at++) eachCount(packed[rows[at] as number] as Uint8Array, add)
      this.firsts[group] = this.size
      ofGroup.take(put)
      this.ends[group] = this.size
    }
  }

  each(group: number, each: (bucket: number, count: number) => void): void {
    const end = this.ends[group] ?? 0
    for (let at = this.firsts[group] ?? 0; at < end; at++) each(this.buckets[at] as number, this.counts[at] as number)
  }

  private put(bucket: number, count: number): void {
    if (this.size === this.buckets.length) {
      const [buckets, counts] = [new Uint16Array(this.size * 2), new Float64Array(this.size * 2)]
      buckets.set(this.buckets)
      counts.set(this.counts)
      this.buckets = buckets
      this.counts = counts
    }
    this.buckets[this.size] = bucket
    this.counts[this.size++] = count
  }

  private reserveGroups(groups: number): void {
    if (groups <= this.firsts.length) return
    const [firsts, ends] = [new Uint32Array(groups * 2), new Uint32Array(groups * 2)]
    firsts.set(this.firsts)
    ends.set(this.ends)
    this.firsts = firsts
    this.ends = ends
  }
}

/** The rows of each group one after the other, by the group of each row; and where those of each group end. */
function rowsByGroup(groups: Uint32Array): [rows: Uint32Array, ends: Uint32Array] {
  const ends = new Uint32Array(groups.reduce((last, group) => Math.max(last, group), -1) + 1)
  for (const group of groups) ends[group] = (ends[group] as number) + 1
  for (let group = 1; group < ends.length; group++) ends[group] = (ends[group] as number) + (ends[group - 1] as number)
  const rows = new Uint32Array(groups.length)
  const left = ends.slice()
  for (let row = groups.length - 1; row >= 0; row--) {
    const group = groups[row] as number
    const at = (left[group] as number) - 1
    left[group] = at
    rows[at] = row
  }
  return [rows, ends]
}
