import { type ApdexThresholds, thresholdMsOf } from '../../../domain/apdex.ts'
import { bucketOf } from '../../../domain/latencies.ts'
import type { RequestQuestion } from '../../diagnostics-reader.ts'
import type { KeptHour } from '../kept/kept-hour.ts'
import type { MinuteRows, RowRange } from '../kept/minute-rows.ts'
import type { Figure } from '../live/figure.ts'
import { GroupSums, type Sums } from '../live/group-sums.ts'
import { kindOfWord, REQUEST_COLUMNS, roleOfWord } from '../live/live-hour.ts'
import { type OpenFigures, rangesOn, type SumsOf } from '../live/open-figures.ts'
import { LOCAL_ROOT, REQUEST } from '../schema.ts'
import { kindNumbers } from './kind-numbers.ts'
import type { RequestKeys, RequestTable } from './request-table.ts'
import type { KnownServices } from './services-known.ts'

const ERROR = 2
const MINUTES_PER_HOUR = 60

/** Some rows of a minute, and what each of their groups is asked about as. */
interface AskedRows {
  rows: MinuteRows
  range: RowRange
  keys: (RequestKeys | undefined)[]
}

/** What is in memory: what is not sealed yet, and sums of hours that are. */
export class OpenRequests {
  private readonly figures: OpenFigures
  private readonly entries: Set<string>
  private readonly rolesByService: number[] = []
  private readonly thresholdsNs: number[] = []
  private readonly question: RequestQuestion
  private readonly apdex: ApdexThresholds
  private readonly table: RequestTable
  private readonly raggedSums = new GroupSums(6)
  private readonly raggedBuckets = new GroupSums(1)
  private readonly nameOf: (id: number) => number
  private readonly service: number | undefined
  private readonly operation: number | undefined
  private readonly kinds: number[] | undefined

  constructor(
    figures: OpenFigures,
    question: RequestQuestion,
    apdex: ApdexThresholds,
    { entries }: KnownServices,
    table: RequestTable,
  ) {
    this.entries = entries
    this.figures = figures
    this.question = question
    this.apdex = apdex
    this.table = table
    this.nameOf = table.names.translator((id) => figures.live.texts.text(id))
    const numberOf = (name: string | undefined) => (name === undefined ? undefined : figures.live.texts.ofText(name))
    this.service = numberOf(question.serviceName)
    this.operation = numberOf(question.operationName)
    this.kinds = kindNumbers(question.kind)
  }

  addSums(): void {
    const add = (from: Sums, group: number, kind: number, minute: number) => {
      const sum = (column: number) => from.sum(group, column)
      const { requests, errors, low, high, satisfied, tolerating } = REQUEST_COLUMNS
      const keys = this.keys(kind, from.key(group, 1), from.key(group, 2), minute)
      this.table.addSums(keys, [sum(requests), sum(errors), sum(low), sum(high), sum(satisfied), sum(tolerating)])
    }
    const { window, by, serviceName } = this.question
    if (by.includes('minute') && serviceName === undefined)
      this.table.reserve(this.figures.groupsIn(window, ({ requests }) => requests))
    this.eachGroup(({ requests }) => requests, add)
    this.addRagged()
    const ragged = this.raggedSums
    for (let group = 0; group < ragged.size; group++) add(ragged, group, ragged.key(group, 0), ragged.key(group, 3) | 0)
    for (const rows of this.keptRagged()) this.addRowSums(rows)
  }

  /** To be called once the sums are added. */
  addBuckets(): void {
    const add = (from: Sums, group: number, kind: number, minute: number, bucket: number) =>
      this.table.addBucket(this.keys(kind, from.key(group, 1), from.key(group, 2), minute), bucket, from.sum(group, 0))
    this.eachGroup(
      ({ latencies }) => latencies,
      (from, group, kind, minute) => add(from, group, kind, minute, from.key(group, 3)),
      this.figures.unsealed,
    )
    for (const hour of this.figures.kept) this.addKeptBuckets(hour)
    const ragged = this.raggedBuckets
    for (let group = 0; group < ragged.size; group++)
      add(ragged, group, ragged.key(group, 0), ragged.key(group, 3) | 0, ragged.key(group, 4))
    for (const { rows, range, keys } of this.keptRagged())
      this.table.addRows(
        keys.map((asked) => asked && this.table.groupAt(asked)),
        rows,
        range,
      )
  }

  /** Of spans that are not sealed. */
  addDurations(): void {
    this.figures.eachOpenSpan(this.question.window, 'requests', (figure) => this.addDuration(figure))
  }

  /** Of sealed hours in memory. False where those of a small group are not in memory. */
  addKeptDurations(): boolean {
    for (const rows of this.keptRagged()) this.addRowDurations(rows)
    return this.figures.kept.every((hour) => {
      const { whole } = rangesOn(hour, this.question.window)
      return !whole || this.addDurationsOf(hour, whole)
    })
  }

  /** Sealed hours have by far the most rows, which need no names: a series is looked up once for all of its buckets. */
  private addKeptBuckets(kept: KeptHour): void {
    const { whole } = rangesOn(kept, this.question.window)
    if (!whole) return
    const asked = this.seriesAsked(kept, whole.first)
    const add = (first: number, end: number) => {
      const minute = kept.hour * MINUTES_PER_HOUR + first
      kept.latencies.eachSeries(first, end, (series, buckets) => {
        const keys = asked[series]
        if (keys) this.table.addBuckets(this.table.groupAt({ ...keys, minute }), buckets)
      })
    }
    if (!this.question.by.includes('minute')) add(whole.first, whole.end)
    else for (let minute = whole.first; minute < whole.end; minute++) add(minute, minute + 1)
  }

  /** The keys of each series that is asked about, by its number. */
  private seriesAsked({ hour, requestSeries }: KeptHour, firstMinute: number): (RequestKeys | undefined)[] {
    return Array.from({ length: requestSeries.size }, (_, series) => {
      const [word, service, operation] = [0, 1, 2].map((i) => requestSeries.key(series, i)) as [number, number, number]
      if (!this.isAsked(service, operation, kindOfWord(word), roleOfWord(word))) return undefined
      return this.keys(kindOfWord(word), service, operation, hour * MINUTES_PER_HOUR + firstMinute)
    })
  }

  private addDurationsOf(kept: KeptHour, { first, end }: { first: number; end: number }): boolean {
    if (!kept.durations) return false
    const asked = this.seriesAsked(kept, first)
    const wanted = asked.map((keys) => (keys && this.table.isSmallGroup(keys) ? keys : undefined))
    return kept.durations.each(
      first,
      end,
      (series) => wanted[series] !== undefined,
      (series, durationNs) => this.table.addDuration(wanted[series] as RequestKeys, durationNs, 1),
    )
  }

  private addDuration({ kind, service, operation, role, minute, durationNs, n }: Figure): void {
    if (this.isAsked(service, operation, kind, role))
      this.table.addDuration(this.keys(kind, service, operation, minute), durationNs, n)
  }

  private addRowSums({ rows, range, keys }: AskedRows): void {
    const thresholds = keys.map((asked, group) => (asked ? this.thresholdNs(rows.groupOf(group).places[0]) : 0))
    const satisfied = rows.countWithin(range, Float64Array.from(thresholds))
    const bearable = rows.countWithin(
      range,
      Float64Array.from(thresholds, (ns) => 4 * ns),
    )
    rows.addUp(range, (group, { count, low, high }) => {
      const asked = keys[group]
      if (!asked) return
      if (rows.groupOf(group).status === ERROR) return this.table.addSums(asked, [count, count, low, high, 0, 0])
      const [quick, slower] = [satisfied[group] as number, bearable[group] as number]
      this.table.addSums(asked, [count, 0, low, high, quick, slower - quick])
    })
  }

  private addRowDurations({ rows, range, keys }: AskedRows): void {
    const wanted = keys.map((asked) => (asked && this.table.isSmallGroup(asked) ? asked : undefined))
    for (let row = range.first; row < range.end; row++) {
      const to = wanted[rows.group[row] as number]
      if (to) this.table.addDuration(to, rows.durationNs(row), rows.n[row] as number)
    }
  }

  /** Sealed spans at the ragged ends; groups that are not asked about have no keys. */
  private keptRagged(): AskedRows[] {
    return this.figures.keptRagged(this.question.window, 'requests').map(({ rows, range, minute }) => {
      const keys = Array.from({ length: rows.groupCount }, (_, group) => {
        const { kind, role, places } = rows.groupOf(group)
        const [service, operation] = places
        return this.isAsked(service, operation, kind, role) ? this.keys(kind, service, operation, minute) : undefined
      })
      return { rows, range, keys }
    })
  }

  /** Spans at the ragged ends that are not sealed, added up before they get names: there may be very many of them. */
  private addRagged(): void {
    const { requests, errors, low, high, satisfied, tolerating } = REQUEST_COLUMNS
    const { raggedSums: sums, raggedBuckets: buckets } = this
    const { latencies } = this.question
    const add = (at: number, value: number) => {
      sums.sums[at] = (sums.sums[at] as number) + value
    }
    this.eachRagged((figure) => {
      const { kind, service, operation, minute, status, durationNs, n } = figure
      const at = sums.at(kind, service, operation, minute >>> 0, 0)
      add(at + requests, n)
      add(at + low, n * figure.low)
      add(at + high, n * figure.high)
      const thresholdNs = this.thresholdNs(service)
      if (status === ERROR) add(at + errors, n)
      else if (durationNs <= thresholdNs) add(at + satisfied, n)
      else if (durationNs <= 4 * thresholdNs) add(at + tolerating, n)
      if (!latencies) return
      const inBucket = buckets.at(kind, service, operation, minute >>> 0, bucketOf(durationNs))
      buckets.sums[inBucket] = (buckets.sums[inBucket] as number) + n
    })
  }

  private eachGroup(
    sumsOf: SumsOf,
    each: (from: Sums, group: number, kind: number, minute: number) => void,
    figures = this.figures,
  ): void {
    const { window, by } = this.question
    figures.eachGroup(window, sumsOf, by.includes('minute'), (from, group, minute) => {
      const word = from.key(group, 0)
      if (this.isAsked(from.key(group, 1), from.key(group, 2), kindOfWord(word), roleOfWord(word)))
        each(from, group, kindOfWord(word), minute)
    })
  }

  private eachRagged(each: (figure: Figure) => void): void {
    this.figures.eachOpenRagged(this.question.window, 'requests', (figure) => {
      if (this.isAsked(figure.service, figure.operation, figure.kind, figure.role)) each(figure)
    })
  }

  /** T of the Apdex formula. */
  private thresholdNs(service: number): number {
    const known = this.thresholdsNs[service]
    if (known !== undefined) return known
    const ns = thresholdMsOf(this.apdex, this.figures.live.texts.text(service)) * 1e6
    this.thresholdsNs[service] = ns
    return ns
  }

  private isAsked(service: number, operation: number, kind: number, role: number): boolean {
    if ((role & this.roleOf(service)) === 0) return false
    if (this.operation !== undefined && this.operation !== operation) return false
    return (this.service === undefined || this.service === service) && (!this.kinds || this.kinds.includes(kind))
  }

  /** As what the spans of a service count. */
  private roleOf(service: number): number {
    const known = this.rolesByService[service]
    if (known !== undefined) return known
    const role = this.entries.has(this.figures.live.texts.text(service)) ? REQUEST : LOCAL_ROOT
    this.rolesByService[service] = role
    return role
  }

  private keys(kind: number, service: number, operation: number, minute: number): RequestKeys {
    return { service: this.nameOf(service), operation: this.nameOf(operation), kind, minute }
  }
}
