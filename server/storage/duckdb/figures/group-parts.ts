import { countsOf, EXACT_REQUESTS_MAX, type Latencies, NO_LATENCIES } from '../../../domain/latencies.ts'
import type { RequestGroup } from '../../diagnostics-reader.ts'
import { durationSum } from '../live/live-hour.ts'
import { BucketCounts } from './bucket-counts.ts'

/** Where each sum is in its row. */
const [REQUESTS, ERRORS, LOW, HIGH, SATISFIED, TOLERATING] = [0, 1, 2, 3, 4, 5]
const COLUMNS = 6
const LOW_BITS = 0xffffffffn
const BYTES_PER_NAME = 200

/** What requests have in common. */
type GroupKey = Pick<RequestGroup, 'serviceName' | 'operationName' | 'kind' | 'minuteNs'>

/** Numbers for groups, which the parts of an answer share. */
export class GroupNumbers {
  readonly groups: GroupKey[] = []
  private readonly numbers = new Map<string, number>()

  of({ serviceName, operationName, kind, minuteNs }: RequestGroup): number {
    const key = `${kind}\n${operationName}\n${serviceName}`
    const known = this.numbers.get(key)
    if (known !== undefined) return known
    this.numbers.set(key, this.groups.length)
    return this.groups.push({ serviceName, operationName, kind, minuteNs }) - 1
  }

  get bytes(): number {
    return this.groups.length * BYTES_PER_NAME
  }
}

/** Groups of requests of a part of a window, by columns: there may be hundreds of parts. */
export class GroupPart {
  readonly bytes: number
  /** Whether requests that are not told one by one could be. */
  readonly hasSpans: boolean
  private readonly numbers: Uint32Array
  private readonly sums: Float64Array
  /** Where the buckets and the durations of each group end. */
  private readonly bucketEnds: Uint32Array
  private readonly buckets: Uint16Array
  private readonly counts: Float64Array
  private readonly durationEnds: Uint32Array
  private readonly durations: Float64Array

  /** Of groups of more requests than `exactMax` no duration is kept. */
  constructor(groups: RequestGroup[], numbers: GroupNumbers, hasSpans: boolean, exactMax = EXACT_REQUESTS_MAX) {
    this.hasSpans = hasSpans
    this.numbers = Uint32Array.from(groups, (group) => numbers.of(group))
    this.sums = Float64Array.from(groups.flatMap(sumsOf))
    const counted = groups.map(({ latencies }) => ascending(countsOf(latencies)))
    this.bucketEnds = endsOf(counted)
    this.buckets = Uint16Array.from(counted.flatMap((counts) => counts.map(([bucket]) => bucket)))
    this.counts = Float64Array.from(counted.flatMap((counts) => counts.map(([, count]) => count)))
    const durations = groups.map(({ latencies: { exactNs } }) => (exactNs && exactNs.length <= exactMax ? exactNs : []))
    this.durationEnds = endsOf(durations)
    this.durations = Float64Array.from(durations.flat())
    const columns = [this.numbers, this.sums, this.bucketEnds, this.buckets, this.counts, this.durationEnds]
    this.bytes = [...columns, this.durations].reduce((sum, { byteLength }) => sum + byteLength, 0)
  }

  addSums(to: Float64Array): void {
    for (const [row, number] of this.numbers.entries())
      for (let column = 0; column < COLUMNS; column++) {
        const at = number * COLUMNS + column
        to[at] = (to[at] as number) + (this.sums[row * COLUMNS + column] as number)
      }
  }

  addBuckets(to: BucketCounts): void {
    for (const [row, number] of this.numbers.entries())
      for (let i = firstOf(this.bucketEnds, row); i < (this.bucketEnds[row] as number); i++)
        to.add(number, this.buckets[i] as number, this.counts[i] as number)
  }

  /** `to` has a list for each group that is wanted. */
  addDurations(to: (number[] | undefined)[]): void {
    for (const [row, number] of this.numbers.entries()) {
      const list = to[number]
      if (!list) continue
      for (let i = firstOf(this.durationEnds, row); i < (this.durationEnds[row] as number); i++)
        list.push(this.durations[i] as number)
    }
  }
}

/** All parts together; undefined where a small group has requests that are not told one by one, though they could be. */
export function groupsOf(parts: GroupPart[], numbers: GroupNumbers, latencies: boolean): RequestGroup[] | undefined {
  const sums = new Float64Array(numbers.groups.length * COLUMNS)
  for (const part of parts) part.addSums(sums)
  const sum = (group: number, column: number) => sums[group * COLUMNS + column] as number
  const small = numbers.groups.map((_, group) => (sum(group, REQUESTS) <= EXACT_REQUESTS_MAX ? [] : undefined))
  const buckets = new BucketCounts(false)
  if (latencies)
    for (const part of parts) {
      part.addBuckets(buckets)
      part.addDurations(small)
    }
  const isWhole = (group: number) => small[group]?.length === sum(group, REQUESTS)
  if (latencies && parts.every(({ hasSpans }) => hasSpans))
    for (const [group, durations] of small.entries()) if (durations && !isWhole(group)) return undefined
  const latenciesOf = (group: number): Latencies => {
    if (!latencies) return NO_LATENCIES
    if (!isWhole(group)) return buckets.of(group)
    return { exactNs: (small[group] as number[]).sort((a, b) => a - b), buckets: [], counts: [] }
  }
  return numbers.groups.flatMap((key, group) =>
    sum(group, REQUESTS) === 0
      ? []
      : [
          {
            ...key,
            requestCount: sum(group, REQUESTS),
            errorCount: sum(group, ERRORS),
            durationNsSum: durationSum(sum(group, LOW), sum(group, HIGH)),
            satisfiedCount: sum(group, SATISFIED),
            toleratingCount: sum(group, TOLERATING),
            latencies: latenciesOf(group),
          },
        ],
  )
}

function sumsOf({ requestCount, errorCount, durationNsSum, satisfiedCount, toleratingCount }: RequestGroup): number[] {
  const [low, high] = [Number(durationNsSum & LOW_BITS), Number(durationNsSum >> 32n)]
  return [requestCount, errorCount, low, high, satisfiedCount, toleratingCount]
}

/** Durations that are told one by one may share a bucket. */
function ascending(counts: [bucket: number, count: number][]): [bucket: number, count: number][] {
  const sums = new Map<number, number>()
  for (const [bucket, count] of counts) sums.set(bucket, (sums.get(bucket) ?? 0) + count)
  return [...sums]
}

function endsOf(lists: unknown[][]): Uint32Array {
  let end = 0
  return Uint32Array.from(lists, ({ length }) => (end += length))
}

function firstOf(ends: Uint32Array, row: number): number {
  return row === 0 ? 0 : (ends[row - 1] as number)
}
