import { type ApdexThresholds, thresholdMsOf } from '../../../domain/apdex.ts'
import { bucketOf, EXACT_REQUESTS_MAX } from '../../../domain/latencies.ts'
import type { TimeWindow } from '../../../domain/time-window.ts'
import { LOCAL_ROOT, REQUEST } from '../schema.ts'
import type { Row } from '../session.ts'
import { GroupSums } from './group-sums.ts'
import { durationSum, groupWord, kindOfWord, REQUEST_COLUMNS, roleOfWord } from './live-hour.ts'
import type { Figure, OpenFigures } from './open-figures.ts'

const ROLES = REQUEST | LOCAL_ROOT
const ERROR = 2

export interface OpenSelection {
  window: TimeWindow
  /** What is told apart, by the names of columns. */
  keys: ReadonlySet<string>
  serviceName: string | undefined
  /** Undefined for all. */
  kinds: number[] | undefined
}

/** Requests that are not sealed yet, all as of one moment: rows with the columns of the database's, to be added to them. */
export interface OpenRequests {
  sums: Row[]
  buckets: Row[]
  /** Of the groups that are small here: each duration with how often it is there, which may be less than never. */
  durations: { row: Row; counts: Map<number, number> }[]
}

export function openRequests(
  figures: OpenFigures | undefined,
  selection: OpenSelection,
  apdex: ApdexThresholds,
  latencies: boolean,
): OpenRequests {
  if (!figures) return { sums: [], buckets: [], durations: [] }
  const collected = new Collected(figures, selection, apdex)
  collected.addSums()
  if (latencies) collected.addLatencies()
  return collected.answer()
}

class Collected {
  private readonly figures: OpenFigures
  private readonly selection: OpenSelection
  private readonly apdex: ApdexThresholds
  private readonly service: number | undefined
  private readonly sums = new GroupSums(6)
  private readonly buckets = new GroupSums(1)
  private readonly durations = new Map<number, Map<number, number>>()
  /** Minutes by number: a group's key has room for 32 bits. */
  private readonly minutes: bigint[] = []
  private readonly minuteNumbers = new Map<bigint, number>()

  constructor(figures: OpenFigures, selection: OpenSelection, apdex: ApdexThresholds) {
    this.figures = figures
    this.selection = selection
    this.apdex = apdex
    this.service = selection.serviceName === undefined ? undefined : figures.live.texts.ofText(selection.serviceName)
  }

  addSums(): void {
    const { window } = this.selection
    this.figures.eachGroup(
      window,
      ({ requests }) => requests,
      (from, group, minuteNs) => {
        const [word, service] = [from.key(group, 0), from.key(group, 1)]
        if (!this.isAsked(service, kindOfWord(word))) return
        const at = this.group(this.sums, kindOfWord(word), roleOfWord(word), service, from.key(group, 2), minuteNs, 0)
        for (let column = 0; column < 6; column++) this.add(this.sums, at + column, from.sum(group, column))
      },
    )
    this.eachRequest('ragged', (figure, minuteNs) => this.addOne(figure, minuteNs))
  }

  addLatencies(): void {
    const { window, keys } = this.selection
    this.figures.eachGroup(
      window,
      ({ latencies }) => latencies,
      (from, group, minuteNs) => {
        const [word, service] = [from.key(group, 0), from.key(group, 1)]
        if (!this.isAsked(service, kindOfWord(word))) return
        const operation = from.key(group, 2)
        const at = this.group(
          this.buckets,
          kindOfWord(word),
          roleOfWord(word),
          service,
          operation,
          minuteNs,
          from.key(group, 3),
        )
        this.add(this.buckets, at, from.sum(group, 0))
      },
    )
    this.eachRequest('ragged', ({ kind, role, service, operation, durationNs, n }, minuteNs) => {
      const at = this.group(this.buckets, kind, role & ROLES, service, operation, minuteNs, bucketOf(durationNs))
      this.add(this.buckets, at, n)
    })
    if (!keys.has('minute_ns')) this.addDurations()
  }

  answer(): OpenRequests {
    const rows = (sums: GroupSums, columns: (group: number) => Row): Row[] =>
      Array.from({ length: sums.size }, (_, group) => ({ ...this.keysOf(sums, group), ...columns(group) }))
    return {
      sums: rows(this.sums, (group) => this.sumsOf(group)),
      buckets: rows(this.buckets, (group) => ({
        bucket: this.buckets.key(group, 4),
        requests: this.buckets.sum(group, 0),
      })),
      durations: [...this.durations].map(([group, counts]) => ({ row: this.keysOf(this.sums, group), counts })),
    }
  }

  private addDurations(): void {
    this.eachRequest('all', ({ kind, role, service, operation, durationNs, n }, minuteNs) => {
      const at = this.group(this.sums, kind, role & ROLES, service, operation, minuteNs, 0)
      // Groups have many rows at first, and none of interest: nothing is kept of them.
      if (Math.abs(this.sums.sums[at] as number) > EXACT_REQUESTS_MAX) return
      const group = at / this.sums.columns
      const counts = this.durations.get(group) ?? new Map<number, number>()
      this.durations.set(group, counts)
      counts.set(durationNs, (counts.get(durationNs) ?? 0) + n)
    })
  }

  private addOne(figure: Figure, minuteNs: bigint): void {
    const { kind, role, service, operation, n, low, high, durationNs, status } = figure
    const at = this.group(this.sums, kind, role & ROLES, service, operation, minuteNs, 0)
    const { requests, errors, satisfied, tolerating } = REQUEST_COLUMNS
    this.add(this.sums, at + requests, n)
    this.add(this.sums, at + REQUEST_COLUMNS.low, n * low)
    this.add(this.sums, at + REQUEST_COLUMNS.high, n * high)
    if (status === ERROR) {
      this.add(this.sums, at + errors, n)
      return
    }
    const thresholdNs = thresholdMsOf(this.apdex, this.figures.live.texts.text(service)) * 1e6
    if (durationNs <= thresholdNs) this.add(this.sums, at + satisfied, n)
    else if (durationNs <= 4 * thresholdNs) this.add(this.sums, at + tolerating, n)
  }

  private eachRequest(which: 'ragged' | 'all', each: (figure: Figure, minuteNs: bigint) => void): void {
    this.figures.eachSpan(
      this.selection.window,
      which,
      (hour) => hour.requestCorrections,
      (figure, minuteNs) => {
        if ((figure.role & ROLES) !== 0 && this.isAsked(figure.service, figure.kind)) each(figure, minuteNs)
      },
    )
  }

  private isAsked(service: number, kind: number): boolean {
    const { kinds } = this.selection
    return (this.service === undefined || this.service === service) && (kinds === undefined || kinds.includes(kind))
  }

  private group(
    sums: GroupSums,
    kind: number,
    role: number,
    service: number,
    operation: number,
    minuteNs: bigint,
    bucket: number,
  ): number {
    const { keys } = this.selection
    const word = groupWord(0, keys.has('kind') ? kind : 0, role)
    const minute = keys.has('minute_ns') ? this.minuteNumber(minuteNs) : 0
    return sums.at(word, keys.has('service') ? service : 0, keys.has('operation') ? operation : 0, minute, bucket)
  }

  private minuteNumber(minuteNs: bigint): number {
    const known = this.minuteNumbers.get(minuteNs)
    if (known !== undefined) return known
    this.minuteNumbers.set(minuteNs, this.minutes.length)
    return this.minutes.push(minuteNs) - 1
  }

  private add(sums: GroupSums, at: number, value: number): void {
    sums.sums[at] = (sums.sums[at] as number) + value
  }

  private keysOf(sums: GroupSums, group: number): Row {
    const { texts } = this.figures.live
    const word = sums.key(group, 0)
    return {
      role: roleOfWord(word),
      kind: kindOfWord(word),
      service: texts.text(sums.key(group, 1)),
      operation: texts.text(sums.key(group, 2)),
      minute_ns: this.minutes[sums.key(group, 3)] ?? 0n,
    }
  }

  private sumsOf(group: number): Row {
    const { requests, errors, low, high, satisfied, tolerating } = REQUEST_COLUMNS
    const sum = (column: number) => this.sums.sum(group, column)
    return {
      requests: sum(requests),
      errors: sum(errors),
      duration_ns: durationSum(sum(low), sum(high)),
      satisfied: sum(satisfied),
      tolerating: sum(tolerating),
    }
  }
}
