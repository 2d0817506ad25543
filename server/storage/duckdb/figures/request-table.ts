import { EXACT_REQUESTS_MAX, type Latencies, NO_LATENCIES } from '../../../domain/latencies.ts'
import { spanKindOf } from '../../../domain/span.ts'
import type { TimeWindow } from '../../../domain/time-window.ts'
import type { RequestStep } from '../../chart-reader.ts'
import type { RequestGroup, RequestKey, RequestSeries } from '../../diagnostics-reader.ts'
import { STEP_PERCENTS } from '../../request-steps.ts'
import type { BucketRun } from '../kept/kept-sums.ts'
import type { MinuteRows, RowRange } from '../kept/minute-rows.ts'
import { GroupSums } from '../live/group-sums.ts'
import { durationSum, REQUEST_COLUMNS } from '../live/live-hour.ts'
import { NS_PER_MINUTE } from '../scope/minute-ranges.ts'
import { BucketCounts } from './bucket-counts.ts'
import { LocalNames } from './local-names.ts'
import { seriesOf } from './request-series.ts'

const {
  requests: REQUESTS,
  errors: ERRORS,
  low: LOW,
  high: HIGH,
  satisfied: SATISFIED,
  tolerating: TOLERATING,
} = REQUEST_COLUMNS
const COLUMNS = 6

type RequestKeyNames = Pick<RequestGroup, 'serviceName' | 'operationName' | 'kind'>

/** What requests have in common, by numbers: names as `names` numbers them, the minute since the epoch. */
export interface RequestKeys {
  service: number
  operation: number
  kind: number
  minute: number
}

/**
 * Collects sums of requests from wherever they are kept, and makes groups of them. Whatever a question does not tell apart is
 * added up here.
 */
export class RequestTable {
  readonly names = new LocalNames()
  private readonly byService: boolean
  private readonly byOperation: boolean
  private readonly byKind: boolean
  private readonly byMinute: boolean
  private readonly stepMinutes: number
  private readonly sums = new GroupSums(COLUMNS)
  private readonly buckets = new BucketCounts()
  private readonly durations = new Map<number, Durations>()

  constructor(by: RequestKey[], stepMinutes = 1) {
    this.stepMinutes = stepMinutes
    this.byService = by.includes('service')
    this.byOperation = by.includes('operation')
    this.byKind = by.includes('kind')
    this.byMinute = by.includes('minute')
  }

  /** Makes room for so many groups at one go. */
  reserve(groups: number): void {
    this.sums.reserve(groups)
  }

  addSums(keys: RequestKeys, values: [number, number, number, number, number, number]): void {
    const at = this.at(keys)
    const { sums } = this.sums
    for (let column = 0; column < COLUMNS; column++)
      sums[at + column] = (sums[at + column] as number) + (values[column] as number)
  }

  /** The same of a row of an answer that has a column for each sum. */
  addRow(keys: RequestKeys, columns: Float64Array[], row: number): void {
    const at = this.at(keys)
    const { sums } = this.sums
    for (let column = 0; column < COLUMNS; column++)
      sums[at + column] = (sums[at + column] as number) + ((columns[column] as Float64Array)[row] as number)
  }

  addBucket(keys: RequestKeys, bucket: number, n: number): void {
    this.buckets.add(this.groupAt(keys), bucket, n)
  }

  addPacked(groups: Uint32Array, packed: Uint8Array[]): void {
    this.buckets.addPacked(groups, packed)
  }

  addBuckets(group: number, run: BucketRun): void {
    this.buckets.addRun(group, run)
  }

  /** Rows one by one, of the groups that their own are; those without one are left out. */
  addRows(groups: (number | undefined)[], { group, bucket, n }: MinuteRows, { first, end }: RowRange): void {
    for (let row = first; row < end; row++) {
      const to = groups[group[row] as number]
      if (to !== undefined) this.buckets.add(to, bucket[row] as number, n[row] as number)
    }
  }

  /** The number of a group, which is made where there is none yet. */
  groupAt(keys: RequestKeys): number {
    return this.at(keys) / COLUMNS
  }

  /** To be called once the sums of the same requests are added: nothing is kept of groups that are too large anyway. */
  addDuration(keys: RequestKeys, durationNs: number, n: number): void {
    const at = this.at(keys)
    if (Math.abs(this.sums.sums[at + REQUESTS] as number) > EXACT_REQUESTS_MAX) return
    let durations = this.durations.get(at)
    if (!durations) {
      durations = { added: [], taken: [] }
      this.durations.set(at, durations)
    }
    const to = n > 0 ? durations.added : durations.taken
    for (let i = Math.abs(n); i > 0; i--) to.push(durationNs)
  }

  /** Whether the requests of a group are few enough to be told one by one, once all sums are added. */
  isSmallGroup(keys: RequestKeys): boolean {
    const at = this.at(keys)
    return Math.abs(this.sums.sums[at + REQUESTS] as number) <= EXACT_REQUESTS_MAX
  }

  groups(): RequestGroup[] {
    const groups: RequestGroup[] = []
    for (let group = 0; group < this.sums.size; group++) {
      if (this.sums.sum(group, REQUESTS) === 0) continue
      groups.push(this.groupOf(group))
    }
    return groups
  }

  /** Of groups by service and minute, and operation where asked so: those of all minutes as one series. */
  series(window: TimeWindow, limit: number): RequestSeries[] {
    return seriesOf(this.sums, window, limit).map(({ service, operation, ...series }) => ({
      serviceName: this.names.text(service),
      operationName: this.byOperation ? this.names.text(operation) : '',
      ...series,
    }))
  }

  /** The groups as steps of a chart, without their latencies. */
  steps(groupOf: (group: RequestKeyNames) => string): RequestStep[] {
    const { sums } = this
    const steps: RequestStep[] = []
    for (let group = 0; group < sums.size; group++) {
      const requestCount = sums.sum(group, REQUESTS)
      if (requestCount === 0) continue
      const [p50Ms = 0, p95Ms = 0, p99Ms = 0] = this.buckets.isEmpty
        ? []
        : this.buckets.percentilesMs(group, STEP_PERCENTS)
      steps.push({
        group: groupOf(this.namesOf(group)),
        stepNs: this.minuteNsOf(group),
        requestCount,
        errorCount: sums.sum(group, ERRORS),
        durationNsSum: durationSum(sums.sum(group, LOW), sums.sum(group, HIGH)),
        satisfiedCount: sums.sum(group, SATISFIED),
        toleratingCount: sums.sum(group, TOLERATING),
        p50Ms,
        p95Ms,
        p99Ms,
      })
    }
    return steps
  }

  /** Services with a group whose requests are few enough to be told one by one; undefined for all. */
  smallServices(): string[] | undefined {
    const small = new Set<string>()
    for (let group = 0; group < this.sums.size; group++)
      if (this.isSmall(group)) small.add(this.names.text(this.sums.key(group, 0)))
    return this.byService || small.size === 0 ? [...small] : undefined
  }

  get hasSmall(): boolean {
    for (let group = 0; group < this.sums.size; group++) if (this.isSmall(group)) return true
    return false
  }

  /** Whether requests that are few enough to be told one by one are not, once all durations are added. */
  get lacksDurations(): boolean {
    for (let group = 0; group < this.sums.size; group++)
      if (this.isSmall(group) && this.exactOf(group) === undefined) return true
    return false
  }

  get hasLarge(): boolean {
    for (let group = 0; group < this.sums.size; group++)
      if (this.sums.sum(group, REQUESTS) > EXACT_REQUESTS_MAX) return true
    return false
  }

  private isSmall(group: number): boolean {
    const requests = this.sums.sum(group, REQUESTS)
    return requests !== 0 && requests <= EXACT_REQUESTS_MAX
  }

  private at({ service, operation, kind, minute }: RequestKeys): number {
    return this.sums.at(
      this.byService ? service : 0,
      this.byKind ? kind : 0,
      this.byOperation ? operation : 0,
      this.byMinute ? this.stepOf(minute) : 0,
      0,
    )
  }

  private stepOf(minute: number): number {
    return Math.floor(minute / this.stepMinutes) * this.stepMinutes
  }

  private groupOf(group: number): RequestGroup {
    const { sums } = this
    const { serviceName, operationName, kind } = this.namesOf(group)
    return {
      serviceName,
      operationName,
      kind,
      minuteNs: this.minuteNsOf(group),
      requestCount: sums.sum(group, REQUESTS),
      errorCount: sums.sum(group, ERRORS),
      durationNsSum: durationSum(sums.sum(group, LOW), sums.sum(group, HIGH)),
      satisfiedCount: sums.sum(group, SATISFIED),
      toleratingCount: sums.sum(group, TOLERATING),
      latencies: this.latenciesOf(group),
    }
  }

  private namesOf(group: number): RequestKeyNames {
    const { sums } = this
    return {
      serviceName: this.byService ? this.names.text(sums.key(group, 0)) : '',
      operationName: this.byOperation ? this.names.text(sums.key(group, 2)) : '',
      kind: this.byKind ? spanKindOf(sums.key(group, 1)) : 'INTERNAL',
    }
  }

  private minuteNsOf(group: number): bigint {
    return this.byMinute ? BigInt(this.sums.key(group, 3) | 0) * NS_PER_MINUTE : 0n
  }

  /** One by one where all are known so, in buckets otherwise. */
  private latenciesOf(group: number): Latencies {
    const exactNs = this.exactOf(group)
    if (exactNs) return { exactNs: Array.from(Float64Array.from(exactNs).sort()), buckets: [], counts: [] }
    return this.buckets.isEmpty ? NO_LATENCIES : this.buckets.of(group)
  }

  private exactOf(group: number): number[] | undefined {
    const at = group * COLUMNS
    const exactNs = oneByOne(this.durations.get(at))
    return exactNs.length > 0 && exactNs.length === this.sums.sums[at + REQUESTS] ? exactNs : undefined
  }
}

/** One by one; what is taken away was added, here or there. */
interface Durations {
  added: number[]
  taken: number[]
}

function oneByOne(durations: Durations | undefined): number[] {
  if (!durations || durations.taken.length === 0) return durations?.added ?? []
  const left = new Map<number, number>()
  for (const ns of durations.taken) left.set(ns, (left.get(ns) ?? 0) + 1)
  return durations.added.filter((ns) => {
    const taken = left.get(ns) ?? 0
    if (taken > 0) left.set(ns, taken - 1)
    return taken === 0
  })
}
