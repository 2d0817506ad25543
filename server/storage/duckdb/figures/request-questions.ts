import { type ApdexThresholds, thresholdMsOf } from '../../../domain/apdex.ts'
import { bucketOf } from '../../../domain/latencies.ts'
import { SPAN_KINDS } from '../../../domain/span.ts'
import type { RequestGroup, RequestQuestion } from '../../diagnostics-reader.ts'
import { namesOf, numbersOf } from '../hour-names.ts'
import { GroupSums } from '../live/group-sums.ts'
import { kindOfWord, type LiveHour, REQUEST_COLUMNS, roleOfWord } from '../live/live-hour.ts'
import type { Figure, OpenFigures } from '../live/open-figures.ts'
import type { NumberColumns } from '../number-columns.ts'
import { rolledHours } from '../rolled-hours.ts'
import { LOCAL_ROOT, REQUEST } from '../schema.ts'
import { type HourUnit, overlaps, type Scope } from '../scope.ts'
import { bucketsOfUnit, durationsOfUnit, sumsOfUnit, type UnitSelection } from './request-rows.ts'
import { type RequestKeys, RequestTable } from './request-table.ts'
import { dayBefore, type KnownServices, knownServices } from './services-known.ts'

const ERROR = 2
const MINUTES_PER_HOUR = 60

/** The scope must reach a day back from the window's end. */
export async function requests(
  scope: Scope,
  question: RequestQuestion,
  apdex: ApdexThresholds,
): Promise<RequestGroup[]> {
  const figures = await scope.openFigures()
  const known = await knownServices(scope, dayBefore(question.window))
  const table = new RequestTable(question.by)
  const open = new OpenRequests(figures, question, apdex, known, table)
  open.addSums()
  if (question.latencies) open.addLatencies()
  const sealed = new SealedRequests(scope, question, apdex, known, table)
  await sealed.prepare()
  await sealed.addSums()
  if (question.latencies) await addSealedLatencies(sealed, table, question)
  return table.groups()
}

/** Small groups have their durations told one by one, but minutes, of which there are too many. */
async function addSealedLatencies(sealed: SealedRequests, table: RequestTable, { by }: RequestQuestion): Promise<void> {
  const isByMinute = by.includes('minute')
  const small = isByMinute ? [] : table.smallServices()
  if (small?.length !== 0) await sealed.addDurations(small)
  // Spans that are no longer kept cannot be told one by one.
  if (isByMinute || table.hasLarge || sealed.hasStripped) await sealed.addBuckets()
}

function kindNumbers(kind: string | undefined): number[] | undefined {
  return kind === undefined ? undefined : [...SPAN_KINDS.keys()].filter((number) => SPAN_KINDS[number] === kind)
}

/** What is not sealed yet. */
class OpenRequests {
  private readonly figures: OpenFigures
  private readonly entries: Set<string>
  private readonly rolesByService: number[] = []
  private readonly thresholdsNs: number[] = []
  private readonly question: RequestQuestion
  private readonly apdex: ApdexThresholds
  private readonly table: RequestTable
  private readonly nameOf: (id: number) => number
  private readonly service: number | undefined
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
    this.service = question.serviceName === undefined ? undefined : figures.live.texts.ofText(question.serviceName)
    this.kinds = kindNumbers(question.kind)
  }

  addSums(): void {
    const add = (from: GroupSums, group: number, kind: number, minute: number) => {
      const sum = (column: number) => from.sum(group, column)
      const { requests, errors, low, high, satisfied, tolerating } = REQUEST_COLUMNS
      const keys = this.keys(kind, from.key(group, 1), from.key(group, 2), minute)
      this.table.addSums(keys, [sum(requests), sum(errors), sum(low), sum(high), sum(satisfied), sum(tolerating)])
    }
    this.eachGroup(({ requests }) => requests, add)
    const ragged = this.raggedSums()
    for (let group = 0; group < ragged.size; group++) add(ragged, group, ragged.key(group, 0), ragged.key(group, 3) | 0)
  }

  addLatencies(): void {
    const add = (from: GroupSums, group: number, kind: number, minute: number, bucket: number) =>
      this.table.addBucket(this.keys(kind, from.key(group, 1), from.key(group, 2), minute), bucket, from.sum(group, 0))
    this.eachGroup(
      ({ latencies }) => latencies,
      (from, group, kind, minute) => add(from, group, kind, minute, from.key(group, 3)),
    )
    const ragged = new GroupSums(1)
    this.eachRequest('ragged', ({ kind, service, operation, minute, durationNs, n }) => {
      const at = ragged.at(kind, service, operation, minute >>> 0, bucketOf(durationNs))
      ragged.sums[at] = (ragged.sums[at] as number) + n
    })
    for (let group = 0; group < ragged.size; group++)
      add(ragged, group, ragged.key(group, 0), ragged.key(group, 3) | 0, ragged.key(group, 4))
    if (this.question.by.includes('minute')) return
    this.eachRequest('all', ({ kind, service, operation, minute, durationNs, n }) =>
      this.table.addDuration(this.keys(kind, service, operation, minute), durationNs, n),
    )
  }

  /** Spans at the ragged ends, added up before they get names: there may be very many of them. */
  private raggedSums(): GroupSums {
    const { requests, errors, low, high, satisfied, tolerating } = REQUEST_COLUMNS
    const ragged = new GroupSums(6)
    const add = (at: number, value: number) => {
      ragged.sums[at] = (ragged.sums[at] as number) + value
    }
    this.eachRequest('ragged', (figure) => {
      const { kind, service, operation, minute, status, durationNs, n } = figure
      const at = ragged.at(kind, service, operation, minute >>> 0, 0)
      add(at + requests, n)
      add(at + low, n * figure.low)
      add(at + high, n * figure.high)
      const thresholdNs = this.thresholdNs(service)
      if (status === ERROR) add(at + errors, n)
      else if (durationNs <= thresholdNs) add(at + satisfied, n)
      else if (durationNs <= 4 * thresholdNs) add(at + tolerating, n)
    })
    return ragged
  }

  private eachGroup(
    sumsOf: (hour: LiveHour) => GroupSums,
    each: (from: GroupSums, group: number, kind: number, minute: number) => void,
  ): void {
    this.figures.eachGroup(this.question.window, sumsOf, (from, group, minute) => {
      const word = from.key(group, 0)
      if (this.isAsked(from.key(group, 1), kindOfWord(word), roleOfWord(word)))
        each(from, group, kindOfWord(word), minute)
    })
  }

  private eachRequest(which: 'ragged' | 'all', each: (figure: Figure) => void): void {
    const { window } = this.question
    this.figures.eachSpan(
      window,
      which,
      (hour) => hour.requestCorrections,
      (figure) => {
        if (this.isAsked(figure.service, figure.kind, figure.role)) each(figure)
      },
    )
  }

  /** T of the Apdex formula. */
  private thresholdNs(service: number): number {
    const known = this.thresholdsNs[service]
    if (known !== undefined) return known
    const ns = thresholdMsOf(this.apdex, this.figures.live.texts.text(service)) * 1e6
    this.thresholdsNs[service] = ns
    return ns
  }

  private isAsked(service: number, kind: number, role: number): boolean {
    if ((role & this.roleOf(service)) === 0) return false
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

/** What the hour files have. */
class SealedRequests {
  private readonly scope: Scope
  private readonly question: RequestQuestion
  private readonly apdex: ApdexThresholds
  private readonly entries: string[]
  private readonly table: RequestTable
  private units: HourUnit[] = []
  private selections: UnitSelection[] = []

  constructor(
    scope: Scope,
    question: RequestQuestion,
    apdex: ApdexThresholds,
    { entries }: KnownServices,
    table: RequestTable,
  ) {
    this.scope = scope
    this.entries = [...entries]
    this.question = question
    this.apdex = apdex
    this.table = table
  }

  /** Whether spans of the window are gone, and only sums left. */
  get hasStripped(): boolean {
    return this.units.some(({ file }) => file?.isStripped)
  }

  async prepare(): Promise<void> {
    const { window, by, serviceName, kind } = this.question
    this.units = this.scope.units.filter(({ hour, file }) => file && overlaps(hour, window))
    const rolled = await rolledHours(this.scope, this.units, window)
    const judged = Object.keys(this.apdex.byService)
    for (const unit of this.units) {
      const asked = serviceName === undefined ? [] : [serviceName]
      const numbers = await this.numbersIn(unit, [...judged, ...asked, ...this.entries])
      const service = serviceName === undefined ? undefined : numbers.get(serviceName)
      this.selections.push({
        window,
        services: serviceName === undefined ? undefined : service === undefined ? [] : [service],
        entries: this.entries.flatMap((name) => numbers.get(name) ?? []),
        kinds: kindNumbers(kind),
        byService: by.includes('service'),
        byOperation: by.includes('operation'),
        byKind: by.includes('kind'),
        byMinute: by.includes('minute'),
        isRolled: rolled.has(unit.hour),
        apdex: this.apdex,
        thresholdsMs: new Map(
          judged.flatMap((name) => {
            const number = numbers.get(name)
            return number === undefined ? [] : [[number, this.apdex.byService[name] as number] as const]
          }),
        ),
      })
    }
  }

  async addSums(): Promise<void> {
    const answer = await this.ask(sumsOfUnit)
    if (!answer) return
    const column = (index: number) => answer.column(index)
    const sums = [column(5), column(6), column(7), column(8), column(9), column(10)]
    await this.eachRow(answer, (keys, row) => {
      this.table.addSums(keys, sums.map((values) => values[row] as number) as Parameters<RequestTable['addSums']>[1])
    })
  }

  async addBuckets(): Promise<void> {
    const answer = await this.ask(bucketsOfUnit)
    if (!answer) return
    const [buckets, counts] = [answer.column(5), answer.column(6)]
    await this.eachRow(answer, (keys, row) => this.table.addBucket(keys, buckets[row] as number, counts[row] as number))
  }

  /** Of these services, or of all that are asked about. */
  async addDurations(services: string[] | undefined): Promise<void> {
    const before = this.selections
    if (services && this.question.serviceName === undefined) {
      const numbers = await Promise.all(this.units.map((unit) => this.numbersIn(unit, services)))
      this.selections = before.map((selection, i) => ({ ...selection, services: [...(numbers[i]?.values() ?? [])] }))
    }
    const answer = await this.ask(durationsOfUnit)
    this.selections = before
    if (!answer) return
    const [durations, counts] = [answer.column(5), answer.column(6)]
    await this.eachRow(answer, (keys, row) =>
      this.table.addDuration(keys, durations[row] as number, counts[row] as number),
    )
  }

  private async numbersIn({ file }: HourUnit, names: string[]): Promise<Map<string, number>> {
    return file ? await numbersOf(this.scope.session, file, names) : new Map()
  }

  private async ask(
    parts: (unit: HourUnit, index: number, selection: UnitSelection) => string[],
  ): Promise<NumberColumns | undefined> {
    const selects = this.units.flatMap((unit, i) => parts(unit, i, this.selections[i] as UnitSelection))
    return selects.length > 0 ? await this.scope.session.numbers(selects.join(' UNION ALL ')) : undefined
  }

  /** The first columns of every answer tell what the rest of a row is about. */
  private async eachRow(answer: NumberColumns, each: (keys: RequestKeys, row: number) => void): Promise<void> {
    const [units, services, operations] = [answer.column(0), answer.column(1), answer.column(2)]
    const [kinds, minutes] = [answer.column(3), answer.column(4)]
    const nameOf = await this.namesIn(answer)
    const keys: RequestKeys = { service: 0, operation: 0, kind: 0, minute: 0 }
    for (let row = 0; row < answer.rows; row++) {
      const unit = units[row] as number
      keys.service = nameOf(unit, services[row] as number)
      keys.operation = nameOf(unit, operations[row] as number)
      keys.kind = kinds[row] as number
      keys.minute = (this.units[unit] as HourUnit).hour * MINUTES_PER_HOUR + (minutes[row] as number)
      each(keys, row)
    }
  }

  private async namesIn(answer: NumberColumns): Promise<(unit: number, no: number) => number> {
    const used = this.units.map(() => new Set<number>())
    const [units, services, operations] = [answer.column(0), answer.column(1), answer.column(2)]
    for (let row = 0; row < answer.rows; row++)
      used[units[row] as number]?.add(services[row] as number).add(operations[row] as number)
    const translators: ((no: number) => number)[] = []
    for (const [i, { file }] of this.units.entries()) {
      const names = file ? await namesOf(this.scope.session, file, used[i] as Set<number>) : () => ''
      translators.push(this.table.names.translator(names))
    }
    return (unit, no) => (translators[unit] as (no: number) => number)(no)
  }
}
