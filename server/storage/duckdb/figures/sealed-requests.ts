import type { ApdexThresholds } from '../../../domain/apdex.ts'
import type { RequestQuestion } from '../../diagnostics-reader.ts'
import type { NumberColumns } from '../engine/number-columns.ts'
import { eachCount } from '../latencies/packed-counts.ts'
import { eachPackedRows, type PackedRows } from '../latencies/packed-rows.ts'
import { namesOf, numbersOf } from '../scope/hour-names.ts'
import { type HourUnit, overlaps, type Scope } from '../scope/scope.ts'
import { addedUp } from './added-up.ts'
import { kindNumbers } from './kind-numbers.ts'
import {
  durationsOfUnit,
  packedBucketsOfUnit,
  raggedBucketsOfUnit,
  sumsOfUnit,
  type UnitSelection,
} from './request-rows.ts'
import type { RequestKeys, RequestTable } from './request-table.ts'
import { rolledHours } from './rolled-hours.ts'
import type { KnownServices } from './services-known.ts'

const MINUTES_PER_HOUR = 60
/** Packed counts of so many hours are held in memory at a time. */
const UNITS_AT_ONCE = 12
/** The spans of so many hours are looked through by one statement, which takes memory for each of them. */
const UNITS_OF_SPANS = 6

/** What the hour files have. */
export class SealedRequests {
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
    const { window, by, stepMinutes = 1, serviceName, operationName, kind } = this.question
    this.units = this.scope.units.filter(({ hour, file }) => file && overlaps(hour, window))
    const isByHour = !by.includes('minute') || stepMinutes % MINUTES_PER_HOUR === 0
    const rolled = isByHour ? await rolledHours(this.scope, this.units, window) : new Set<number>()
    const judged = Object.keys(this.apdex.byService)
    for (const unit of this.units) {
      const asked = [serviceName, operationName].filter((name) => name !== undefined)
      const numbers = await this.numbersIn(unit, [...judged, ...asked, ...this.entries])
      const numberOf = (name: string | undefined) =>
        name === undefined ? undefined : [numbers.get(name)].filter((no) => no !== undefined)
      this.selections.push({
        window,
        services: numberOf(serviceName),
        operations: numberOf(operationName),
        entries: this.entries.flatMap((name) => numbers.get(name) ?? []),
        kinds: kindNumbers(kind),
        byService: by.includes('service'),
        byOperation: by.includes('operation'),
        byKind: by.includes('kind'),
        byMinute: by.includes('minute'),
        stepMinutes,
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
    const answer = await this.ask(sumsOfUnit, (parts) => addedUp(parts, 'service_no, operation_no, kind, minute', 6))
    if (!answer) return
    const column = (index: number) => answer.column(index)
    const sums = [column(5), column(6), column(7), column(8), column(9), column(10)]
    await this.eachRow(answer, (keys, row) => {
      this.table.addSums(keys, sums.map((values) => values[row] as number) as Parameters<RequestTable['addSums']>[1])
    })
  }

  async addBuckets(): Promise<void> {
    for (let first = 0; first < this.units.length; first += UNITS_AT_ONCE) await this.addPackedBuckets(first)
    const answer = await this.ask(raggedBucketsOfUnit)
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
    for (let first = 0; first < this.units.length; first += UNITS_OF_SPANS) await this.addDurationsFrom(first)
    this.selections = before
  }

  private async addDurationsFrom(first: number): Promise<void> {
    const answer = await this.ask(durationsOfUnit, undefined, first, first + UNITS_OF_SPANS)
    if (!answer) return
    const [durations, counts] = [answer.column(5), answer.column(6)]
    await this.eachRow(answer, (keys, row) =>
      this.table.addDuration(keys, durations[row] as number, counts[row] as number),
    )
  }

  private async addPackedBuckets(first: number): Promise<void> {
    const units = this.units.slice(first, first + UNITS_AT_ONCE)
    const selects = units.flatMap((unit, i) =>
      packedBucketsOfUnit(unit, first + i, this.selections[first + i] as UnitSelection),
    )
    if (selects.length === 0) return
    const parts: PackedRows[] = []
    await eachPackedRows(this.scope.session, selects.join(' UNION ALL '), (part) => parts.push(part))
    for (const { numbers, packed } of parts)
      await this.eachRow(numbers, (keys, row) => {
        const group = this.table.groupAt(keys)
        eachCount(packed[row] as Uint8Array, (bucket, count) => this.table.addToBucket(group, bucket, count))
      })
  }

  private async numbersIn({ file }: HourUnit, names: string[]): Promise<Map<string, number>> {
    return file ? await numbersOf(this.scope.session, file, names) : new Map()
  }

  private async ask(
    parts: (unit: HourUnit, index: number, selection: UnitSelection) => string[],
    together = (selects: string[]) => selects.join(' UNION ALL '),
    first = 0,
    end = this.units.length,
  ): Promise<NumberColumns | undefined> {
    const selects = this.units
      .slice(first, end)
      .flatMap((unit, i) => parts(unit, first + i, this.selections[first + i] as UnitSelection))
    return selects.length > 0 ? await this.scope.session.numbers(together(selects)) : undefined
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
