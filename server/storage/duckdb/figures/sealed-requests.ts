import type { ApdexThresholds } from '../../../domain/apdex.ts'
import type { RequestQuestion } from '../../diagnostics-reader.ts'
import type { NumberColumns } from '../engine/number-columns.ts'
import type { HourFile } from '../files/hour-file.ts'
import { eachPackedRows, type PackedRows } from '../latencies/packed-rows.ts'
import { eachPackedStep } from '../latencies/packed-steps.ts'
import { HOURS_PER_DAY, type RolledDay } from '../rolled/rolled-days.ts'
import { type HourUnit, overlaps } from '../scope/asked-files.ts'
import { type NamedFile, namesOf, numbersOf } from '../scope/hour-names.ts'
import type { Scope } from '../scope/scope.ts'
import { addedUp } from './added-up.ts'
import { daysIn, durationsOfDay, isByPartOfHour, packedBucketsOfDay, STEP_MINUTES, sumsOfDay } from './day-rows.ts'
import { kindNumbers } from './kind-numbers.ts'
import {
  durationsOfUnit,
  packedBucketsOfUnit,
  raggedBucketsOfUnit,
  sumsOfUnit,
  type UnitSelection,
} from './request-rows.ts'
import type { RequestKeys, RequestTable } from './request-table.ts'
import type { KnownServices } from './services-known.ts'

const MINUTES_PER_HOUR = 60
/** Packed counts of so many files are held in memory at a time. */
const FILES_AT_ONCE = 12
/** The spans of so many hours are looked through by one statement, which takes memory for each of them. */
const FILES_OF_SPANS = 6

/** Statements for what a source has: sums, packed counts, counts at the ragged ends, durations one by one. */
interface Source {
  file: NamedFile
  /** Minutes in its rows are numbered from the first of this hour. */
  firstHour: number
  sums(index: number, selection: UnitSelection): string[]
  packedBuckets(index: number, selection: UnitSelection): string[]
  /** Whether those of several steps are packed together. */
  packsSteps(selection: UnitSelection): boolean
  raggedBuckets(index: number, selection: UnitSelection): string[]
  durations(index: number, selection: UnitSelection): string[]
}

function hourSource(unit: HourUnit, file: HourFile): Source {
  return {
    file,
    firstHour: unit.hour,
    sums: (index, selection) => sumsOfUnit(unit, index, selection),
    packedBuckets: (index, selection) => packedBucketsOfUnit(unit, index, selection),
    packsSteps: () => false,
    raggedBuckets: (index, selection) => raggedBucketsOfUnit(unit, index, selection),
    durations: (index, selection) => durationsOfUnit(unit, index, selection),
  }
}

function daySource(day: RolledDay): Source {
  return {
    file: day.file,
    firstHour: day.file.day * HOURS_PER_DAY,
    sums: (index, selection) => sumsOfDay(day, index, selection),
    packedBuckets: (index, selection) => packedBucketsOfDay(day, index, selection),
    packsSteps: isByPartOfHour,
    raggedBuckets: () => [],
    durations: (index, selection) => durationsOfDay(day, index, selection),
  }
}

/** What the files of hours, and of days that they are rolled up into, have. */
export class SealedRequests {
  private readonly scope: Scope
  private readonly question: RequestQuestion
  private readonly apdex: ApdexThresholds
  private readonly entries: string[]
  private readonly table: RequestTable
  private sources: Source[] = []
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

  async prepare(): Promise<void> {
    const { window, by, stepMinutes = 1, serviceName, operationName, kind } = this.question
    const units = this.scope.units.filter(({ hour, file }) => file && overlaps(hour, window))
    this.sources = [
      ...units.flatMap((unit) => (unit.file ? [hourSource(unit, unit.file)] : [])),
      ...daysIn(this.scope.days, window).map(daySource),
    ]
    const judged = Object.keys(this.apdex.byService)
    for (const { file } of this.sources) {
      const asked = [serviceName, operationName].filter((name) => name !== undefined)
      const numbers = await numbersOf(this.scope, file, [...judged, ...asked, ...this.entries])
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
    const answer = await this.ask('sums', (parts) => addedUp(parts, 'service_no, operation_no, kind, minute', 6))
    if (!answer) return
    const columns = [5, 6, 7, 8, 9, 10].map((index) => answer.column(index))
    await this.eachRow(answer, (keys, row) => this.table.addRow(keys, columns, row))
  }

  async addBuckets(): Promise<void> {
    for (let first = 0; first < this.sources.length; first += FILES_AT_ONCE) await this.addPackedBuckets(first)
    const answer = await this.ask('raggedBuckets')
    if (!answer) return
    const [buckets, counts] = [answer.column(5), answer.column(6)]
    await this.eachRow(answer, (keys, row) => this.table.addBucket(keys, buckets[row] as number, counts[row] as number))
  }

  /** Of these services, or of all that are asked about. */
  async addDurations(services: string[] | undefined): Promise<void> {
    const before = this.selections
    if (services && this.question.serviceName === undefined) {
      const numbers = await Promise.all(this.sources.map(({ file }) => numbersOf(this.scope, file, services)))
      this.selections = before.map((selection, i) => ({ ...selection, services: [...(numbers[i]?.values() ?? [])] }))
    }
    for (let first = 0; first < this.sources.length; first += FILES_OF_SPANS) await this.addDurationsFrom(first)
    this.selections = before
  }

  private async addDurationsFrom(first: number): Promise<void> {
    const answer = await this.ask('durations', undefined, first, first + FILES_OF_SPANS)
    if (!answer) return
    const [durations, counts] = [answer.column(5), answer.column(6)]
    await this.eachRow(answer, (keys, row) =>
      this.table.addDuration(keys, durations[row] as number, counts[row] as number),
    )
  }

  private async addPackedBuckets(first: number): Promise<void> {
    const selects = this.selects('packedBuckets', first, first + FILES_AT_ONCE)
    if (selects.length === 0) return
    const parts: PackedRows[] = []
    await eachPackedRows(this.scope.session, selects.join(' UNION ALL '), (part) => parts.push(part))
    const groups: number[] = []
    const all: Uint8Array[] = []
    const add = (keys: RequestKeys, counts: Uint8Array) => {
      groups.push(this.table.groupAt(keys))
      all.push(counts)
    }
    for (const { numbers, packed } of parts)
      await this.eachRow(numbers, (keys, row, source) => {
        const counts = packed[row] as Uint8Array
        const { minute } = keys
        if (source.packsSteps(this.selections[0] as UnitSelection))
          eachPackedStep(counts, (step, ofStep) => {
            keys.minute = minute + step * STEP_MINUTES
            add(keys, ofStep)
          })
        else add(keys, counts)
      })
    this.table.addPacked(Uint32Array.from(groups), all)
  }

  private async ask(
    what: 'sums' | 'raggedBuckets' | 'durations',
    together = (selects: string[]) => selects.join(' UNION ALL '),
    first = 0,
    end = this.sources.length,
  ): Promise<NumberColumns | undefined> {
    const selects = this.selects(what, first, end)
    return selects.length > 0 ? await this.scope.session.numbers(together(selects)) : undefined
  }

  private selects(
    what: 'sums' | 'packedBuckets' | 'raggedBuckets' | 'durations',
    first: number,
    end: number,
  ): string[] {
    return this.sources
      .slice(first, end)
      .flatMap((source, i) => source[what](first + i, this.selections[first + i] as UnitSelection))
  }

  /** The first columns of every answer tell what the rest of a row is about. */
  private async eachRow(
    answer: NumberColumns,
    each: (keys: RequestKeys, row: number, source: Source) => void,
  ): Promise<void> {
    const [units, services, operations] = [answer.column(0), answer.column(1), answer.column(2)]
    const [kinds, minutes] = [answer.column(3), answer.column(4)]
    const nameOf = await this.namesIn(answer)
    const keys: RequestKeys = { service: 0, operation: 0, kind: 0, minute: 0 }
    for (let row = 0; row < answer.rows; row++) {
      const unit = units[row] as number
      const source = this.sources[unit] as Source
      keys.service = nameOf(unit, services[row] as number)
      keys.operation = nameOf(unit, operations[row] as number)
      keys.kind = kinds[row] as number
      keys.minute = source.firstHour * MINUTES_PER_HOUR + (minutes[row] as number)
      each(keys, row, source)
    }
  }

  private async namesIn(answer: NumberColumns): Promise<(unit: number, no: number) => number> {
    const used = this.sources.map(() => new Set<number>())
    const [units, services, operations] = [answer.column(0), answer.column(1), answer.column(2)]
    for (let row = 0; row < answer.rows; row++)
      used[units[row] as number]?.add(services[row] as number).add(operations[row] as number)
    const translators: ((no: number) => number)[] = []
    for (const [i, { file }] of this.sources.entries()) {
      const names = await namesOf(this.scope.session, file, used[i] as Set<number>)
      translators.push(this.table.names.translator(names))
    }
    return (unit, no) => (translators[unit] as (no: number) => number)(no)
  }
}
