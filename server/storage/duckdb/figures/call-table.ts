import type { TimeWindow } from '../../../domain/time-window.ts'
import type { Edge, EdgeSeries } from '../../diagnostics-reader.ts'
import type { NumberColumns } from '../engine/number-columns.ts'
import { GroupSums, type Sums } from '../live/group-sums.ts'
import { CALL_COLUMNS, durationNumber, durationSum, kindOfWord } from '../live/live-hour.ts'
import type { OpenFigures } from '../live/open-figures.ts'
import type { RolledDay } from '../rolled/rolled-days.ts'
import { ANSWERED } from '../schema.ts'
import { type HourUnit, overlaps } from '../scope/asked-files.ts'
import { type NamedFile, namesOf } from '../scope/hour-names.ts'
import { inRanges, minuteRanges } from '../scope/minute-ranges.ts'
import type { Scope } from '../scope/scope.ts'
import { addedUp, asSums, durationHalves } from './added-up.ts'
import { CALL_SUMS, CallRows } from './call-rows.ts'
import { daysIn, inHours } from './day-rows.ts'
import { LocalNames } from './local-names.ts'
import { MinuteColumns } from './minute-columns.ts'
import { raggedCalls } from './ragged-calls.ts'
import { minuteOfStart } from './request-rows.ts'

const [CLIENT, PRODUCER] = [3, 4]
const MINUTES_PER_HOUR = 60
const KEYS = 'kind, minute, service_no, callee_no, called_no, dependency_no'
const { calls: CALLS, errors: ERRORS, low: LOW, high: HIGH, unanswered: UNANSWERED } = CALL_COLUMNS
const NONE = -1

type Ends = Pick<Edge, 'sourceName' | 'targetName' | 'targetIsService' | 'kind'>

/** Collects calls from wherever they are kept, and tells by whom and to whom they were. */
export class CallTable {
  private readonly window: TimeWindow
  private readonly byMinute: boolean
  private readonly names = new LocalNames()
  private readonly nobody = this.names.of('')
  /** By kind, source, callee, what may be a service's name, dependency. */
  private readonly groups = new GroupSums(1)
  private readonly rows = new CallRows()

  /** Unless told by minute, all minutes are one. */
  constructor(window: TimeWindow, byMinute: boolean) {
    this.window = window
    this.byMinute = byMinute
  }

  addOpen(figures: OpenFigures): void {
    const nameOf = this.names.translator((id) => figures.live.texts.text(id))
    const groupOf = (from: Sums, group: number, kind: number) => {
      const key = (word: number) => nameOf(from.key(group, word))
      return this.groups.at(kind, key(1), key(2), key(3), key(4))
    }
    const add = (to: number, from: Sums, group: number, minute: number) => {
      const at = this.rows.reserve(to, minute)
      for (let column = 0; column < CALL_SUMS; column++) this.rows.sums[at + column] = from.sum(group, column)
    }
    figures.eachPlaced(
      this.window,
      ({ calls }) => calls,
      this.byMinute,
      (from, group) => groupOf(from, group, kindOfWord(from.key(group, 0))),
      add,
    )
    for (const [minute, ragged] of raggedCalls(figures, this.window))
      for (let group = 0; group < ragged.size; group++)
        add(groupOf(ragged, group, ragged.key(group, 0)), ragged, group, minute)
  }

  async addSealed(scope: Scope): Promise<void> {
    const units = scope.units.filter(({ hour, file }) => file && overlaps(hour, this.window))
    const days = daysIn(scope.days, this.window)
    const parts = [
      ...units.flatMap((unit, i) => [...this.ofMinutes(unit, i), ...this.ofSpans(unit, i)]),
      ...days.map((day, i) => this.ofDay(day, units.length + i)),
    ]
    if (parts.length === 0) return
    const answer = await scope.session.numbers(addedUp(parts, KEYS, CALL_SUMS))
    const files = [...units, ...days].flatMap(({ file }) => file ?? [])
    const nameOf = await this.namesIn(scope, files, answer)
    const column = (index: number) => answer.column(index)
    const [unitOf, kinds, minutes] = [column(0), column(1), column(2)]
    for (let row = 0; row < answer.rows; row++) {
      const unit = unitOf[row] as number
      const [source, callee, called, dependency] = [3, 4, 5, 6].map((i) => nameOf(unit, column(i)[row] as number)) as [
        number,
        number,
        number,
        number,
      ]
      const minute = (units[unit]?.hour ?? 0) * MINUTES_PER_HOUR + (minutes[row] as number)
      const group = this.groups.at(kinds[row] as number, source, callee, called, dependency)
      const at = this.rows.reserve(group, minute)
      for (let i = 0; i < CALL_SUMS; i++) this.rows.sums[at + i] = column(7 + i)[row] as number
    }
  }

  edges(known: Set<string>): Edge[] {
    const { ways, totals } = this.added(known)
    return this.told(ways, totals).map((way) => {
      const sum = (column: number) => totals[way * CALL_SUMS + column] as number
      return {
        ...this.endsOf(ways, way, known),
        requestCount: sum(CALLS),
        errorCount: sum(ERRORS),
        durationNsSum: durationSum(sum(LOW), sum(HIGH)),
        unansweredErrorCount: sum(UNANSWERED),
      }
    })
  }

  /** Of a table by minutes: the series with the most calls. */
  series(known: Set<string>, limit: number): EdgeSeries[] {
    const { ways, wayOf, totals } = this.added(known)
    const told = this.told(ways, totals, limit)
    const placeOf = new Int32Array(ways.size).fill(NONE)
    for (const [place, way] of told.entries()) placeOf[way] = place
    const columns = new MinuteColumns(this.window, told.length)
    const { size, group, minute, sums } = this.rows
    for (let row = 0, at = 0; row < size; row++, at += CALL_SUMS) {
      const way = wayOf[group[row] as number] as number
      const place = way === NONE ? NONE : (placeOf[way] as number)
      if (place === NONE) continue
      const sum = (column: number) => sums[at + column] as number
      columns.add(
        place,
        minute[row] as number,
        sum(CALLS),
        sum(ERRORS),
        durationNumber(sum(LOW), sum(HIGH)),
        sum(UNANSWERED),
      )
    }
    return told.map((way, place) => ({
      ...this.endsOf(ways, way, known),
      ...columns.figures(place),
      unansweredErrors: columns.own(place),
    }))
  }

  /** Ways, by kind, source and target; that of each group, or none; and what all rows of a way sum up to. */
  private added(known: Set<string>): { ways: GroupSums; wayOf: Int32Array; totals: Float64Array } {
    const ways = new GroupSums(1)
    const wayOf = Int32Array.from({ length: this.groups.size }, (_, group) => this.wayOf(group, known, ways))
    const totals = new Float64Array(ways.size * CALL_SUMS)
    const { size, group, sums } = this.rows
    for (let row = 0, at = 0; row < size; row++, at += CALL_SUMS) {
      const way = wayOf[group[row] as number] as number
      if (way === NONE) continue
      for (let i = 0, to = way * CALL_SUMS; i < CALL_SUMS; i++)
        totals[to + i] = (totals[to + i] as number) + (sums[at + i] as number)
    }
    return { ways, wayOf, totals }
  }

  /** Calls that reached nobody we know of go to the service of the name that they give, or to what else they name. */
  private wayOf(group: number, known: Set<string>, ways: GroupSums): number {
    const { groups, nobody } = this
    const [source, callee, called] = [groups.key(group, 1), groups.key(group, 2), groups.key(group, 3)]
    const target = callee !== nobody ? callee : known.has(this.names.text(called)) ? called : groups.key(group, 4)
    return target === nobody || target === source ? NONE : ways.at(groups.key(group, 0), source, target, 0, 0)
  }

  /** Ways that have calls; of more than the limit, those that have the most. */
  private told({ size }: GroupSums, totals: Float64Array, limit = size): number[] {
    const callsOf = (way: number) => totals[way * CALL_SUMS + CALLS] as number
    const told = Array.from({ length: size }, (_, way) => way).filter((way) => callsOf(way) > 0)
    return told.length <= limit ? told : told.sort((a, b) => callsOf(b) - callsOf(a)).slice(0, limit)
  }

  private endsOf(ways: GroupSums, way: number, known: Set<string>): Ends {
    const targetName = this.names.text(ways.key(way, 2))
    return {
      sourceName: this.names.text(ways.key(way, 1)),
      targetName,
      targetIsService: known.has(targetName),
      kind: ways.key(way, 0) === PRODUCER ? 'PRODUCER' : 'CLIENT',
    }
  }

  private ofMinutes({ file, hour }: HourUnit, index: number): string[] {
    const { whole } = minuteRanges(hour, this.window)
    if (!file || !whole) return []
    const source = `${file.alias}.minute_calls WHERE minute >= ${whole.first} AND minute < ${whole.end}`
    return [
      `SELECT ${index} AS unit, kind, ${this.byMinute ? 'minute' : '0'}::INTEGER AS minute, service_no, callee_no, called_no,
         dependency_no, ${asSums('calls', 'errors', ...durationHalves(), 'unanswered')} FROM ${source}`,
    ]
  }

  /** A day knows no minutes. */
  private ofDay(day: RolledDay, index: number): string {
    return `SELECT ${index} AS unit, kind, 0::INTEGER AS minute, service_no, callee_no, called_no, dependency_no,
      ${asSums('calls', 'errors', ...durationHalves(), 'unanswered')} FROM ${day.file.alias}.calls_1h WHERE ${inHours(day)}`
  }

  private ofSpans({ file, hour }: HourUnit, index: number): string[] {
    const { ragged } = minuteRanges(hour, this.window)
    if (!file || ragged.length === 0) return []
    const { alias } = file
    const own = 'service_no, kind, status, start_ns, duration_ns, callee_no, called_no, dependency_no'
    const inTime = inRanges('start_ns', ragged)
    const minute = minuteOfStart(hour)
    return [
      `SELECT ${index} AS unit, kind, ${this.byMinute ? minute : '0'}::INTEGER AS minute, service_no, callee_no, called_no,
         dependency_no, ${asSums(
           'n',
           'CASE WHEN status = 2 THEN n ELSE 0 END',
           ...durationHalves('n'),
           'CASE WHEN status = 2 AND callee_no = 0 AND NOT answered THEN n ELSE 0 END',
         )}
       FROM (SELECT ${own}, role & ${ANSWERED} <> 0 AS answered, 1 AS n FROM ${alias}.spans
           WHERE kind IN (${CLIENT}, ${PRODUCER}) AND ${inTime}
         UNION ALL SELECT ${own}, answered, n FROM ${alias}.call_corrections WHERE ${inTime})`,
    ]
  }

  private async namesIn(
    { session }: Scope,
    files: NamedFile[],
    answer: NumberColumns,
  ): Promise<(unit: number, no: number) => number> {
    const used = files.map(() => new Set<number>())
    const columns = [3, 4, 5, 6].map((i) => answer.column(i))
    for (let row = 0; row < answer.rows; row++)
      for (const column of columns) used[answer.column(0)[row] as number]?.add(column[row] as number)
    const translators: ((no: number) => number)[] = []
    for (const [i, file] of files.entries()) {
      const names = await namesOf(session, file, used[i] as Set<number>)
      translators.push(this.names.translator(names))
    }
    return (unit, no) => (no === 0 ? this.nobody : (translators[unit] as (no: number) => number)(no))
  }
}
