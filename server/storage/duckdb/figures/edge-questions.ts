import type { TimeWindow } from '../../../domain/time-window.ts'
import type { Edge, EdgeSeries } from '../../diagnostics-reader.ts'
import type { NumberColumns } from '../engine/number-columns.ts'
import { GroupSums, type Sums } from '../live/group-sums.ts'
import { CALL_COLUMNS, durationMsSum, durationSum, kindOfWord } from '../live/live-hour.ts'
import type { Figure, OpenFigures } from '../live/open-figures.ts'
import type { RolledDay } from '../rolled/rolled-days.ts'
import { ANSWERED } from '../schema.ts'
import { type HourUnit, overlaps } from '../scope/asked-files.ts'
import { type NamedFile, namesOf } from '../scope/hour-names.ts'
import { inRanges, minuteRanges } from '../scope/minute-ranges.ts'
import type { Scope } from '../scope/scope.ts'
import { addedUp, asSums, durationHalves } from './added-up.ts'
import { daysIn, inHours } from './day-rows.ts'
import { LocalNames } from './local-names.ts'
import { MinuteColumns } from './minute-columns.ts'
import { minuteOfStart } from './request-rows.ts'
import { dayBefore, type KnownServices, knownServices } from './services-known.ts'

const [CLIENT, PRODUCER] = [3, 4]
const ERROR = 2
const MINUTES_PER_HOUR = 60
const KEYS = 'kind, minute, service_no, callee_no, called_no, dependency_no'
const { calls: CALLS, errors: ERRORS, low: LOW, high: HIGH, unanswered: UNANSWERED } = CALL_COLUMNS

/** The scope must reach a day back from the window's end. */
export async function edges(scope: Scope, window: TimeWindow): Promise<Edge[]> {
  const { table, all } = await callTable(scope, window, false)
  return table.edges(all)
}

/** The same from figures that have all of the window. */
export function edgesInMemory(figures: OpenFigures, { all }: KnownServices, window: TimeWindow): Edge[] {
  const table = new CallTable(window, false)
  table.addOpen(figures)
  return table.edges(all)
}

/** The scope must reach a day back from the window's end. */
export async function edgeSeries(scope: Scope, window: TimeWindow): Promise<EdgeSeries[]> {
  const { table, all } = await callTable(scope, window, true)
  return table.series(all)
}

/** The same from figures that have all of the window. */
export function edgeSeriesInMemory(figures: OpenFigures, { all }: KnownServices, window: TimeWindow): EdgeSeries[] {
  const table = new CallTable(window, true)
  table.addOpen(figures)
  return table.series(all)
}

async function callTable(
  scope: Scope,
  window: TimeWindow,
  byMinute: boolean,
): Promise<Pick<KnownServices, 'all'> & { table: CallTable }> {
  const figures = await scope.openFigures()
  const table = new CallTable(window, byMinute)
  table.addOpen(figures)
  const { all } = await knownServices(scope, dayBefore(window))
  await table.addSealed(scope)
  return { table, all }
}

/** Collects calls from wherever they are kept: by source, kind, minute, and what is known of whom they went to. */
class CallTable {
  private readonly window: TimeWindow
  private readonly byMinute: boolean
  private readonly names = new LocalNames()
  private readonly nobody = this.names.of('')
  /** By source and kind in one word each, callee, what may be a service's name, dependency; one table for each minute. */
  private readonly minutes = new Map<number, GroupSums>()
  private newest: GroupSums | undefined

  constructor(window: TimeWindow, byMinute: boolean) {
    this.window = window
    this.byMinute = byMinute
  }

  addOpen(figures: OpenFigures): void {
    const nameOf = this.names.translator((id) => figures.live.texts.text(id))
    const addGroup = (from: Sums, group: number, kind: number, minute: number) => {
      const key = (word: number) => nameOf(from.key(group, word))
      const { sums, at } = this.at(minute, kind, key(1), key(2), key(3), key(4))
      for (let column = 0; column < sums.columns; column++) add(sums, at + column, from.sum(group, column))
    }
    figures.eachGroup(
      this.window,
      ({ calls }) => calls,
      this.byMinute,
      (from, group, minute) => addGroup(from, group, kindOfWord(from.key(group, 0)), minute),
    )
    for (const [minute, ragged] of raggedCalls(figures, this.window))
      for (let group = 0; group < ragged.size; group++) addGroup(ragged, group, ragged.key(group, 0), minute)
  }

  async addSealed(scope: Scope): Promise<void> {
    const units = scope.units.filter(({ hour, file }) => file && overlaps(hour, this.window))
    const days = daysIn(scope.days, this.window)
    const parts = [
      ...units.flatMap((unit, i) => [...this.ofMinutes(unit, i), ...this.ofSpans(unit, i)]),
      ...days.map((day, i) => this.ofDay(day, units.length + i)),
    ]
    if (parts.length === 0) return
    const answer = await scope.session.numbers(addedUp(parts, KEYS, 5))
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
      const { sums, at } = this.at(minute, kinds[row] as number, source, callee, called, dependency)
      for (let i = 0; i < sums.columns; i++) add(sums, at + i, column(7 + i)[row] as number)
    }
  }

  /** Of a table that tells no minutes apart. */
  edges(known: Set<string>): Edge[] {
    const [sums] = this.minutes.values()
    const ways = sums ? this.waysOf(sums, known) : new GroupSums(1)
    return Array.from({ length: ways.size }, (_, way) => ({
      ...this.endsOf(ways, way, known),
      requestCount: ways.sum(way, CALLS),
      errorCount: ways.sum(way, ERRORS),
      durationNsSum: durationSum(ways.sum(way, LOW), ways.sum(way, HIGH)),
      unansweredErrorCount: ways.sum(way, UNANSWERED),
    })).filter(({ requestCount }) => requestCount > 0)
  }

  /** Of a table by minutes. */
  series(known: Set<string>): EdgeSeries[] {
    const all = new GroupSums(1)
    const placeOf = (ways: GroupSums, way: number) => all.at(ways.key(way, 0), ways.key(way, 1), ways.key(way, 2), 0, 0)
    const minutes = [...this.minutes].map(([minute, sums]) => ({ minute, ways: this.waysOf(sums, known) }))
    for (const { ways } of minutes)
      for (let way = 0; way < ways.size; way++) if (ways.sum(way, CALLS) > 0) placeOf(ways, way)
    const columns = new MinuteColumns(this.window, all.size)
    for (const { minute, ways } of minutes)
      for (let way = 0; way < ways.size; way++) {
        const calls = ways.sum(way, CALLS)
        if (calls <= 0) continue
        const durationMs = durationMsSum(ways.sum(way, LOW), ways.sum(way, HIGH))
        columns.add(placeOf(ways, way), minute, calls, ways.sum(way, ERRORS), durationMs, ways.sum(way, UNANSWERED))
      }
    return Array.from({ length: all.size }, (_, place) => ({
      ...this.endsOf(all, place, known),
      ...columns.figures(place),
      unansweredErrors: columns.own(place),
    }))
  }

  /**
   * By kind, source and target. Calls that reached nobody we know of go to the service of the name that they give, or to what
   * else they name.
   */
  private waysOf(sums: GroupSums, known: Set<string>): GroupSums {
    const ways = new GroupSums(sums.columns)
    for (let group = 0; group < sums.size; group++) {
      const [source, callee, called] = [sums.key(group, 1), sums.key(group, 2), sums.key(group, 3)]
      const target = callee !== this.nobody ? callee : known.has(this.names.text(called)) ? called : sums.key(group, 4)
      if (target === this.nobody || target === source) continue
      const at = ways.at(sums.key(group, 0), source, target, 0, 0)
      for (let column = 0; column < sums.columns; column++) add(ways, at + column, sums.sum(group, column))
    }
    return ways
  }

  private endsOf(
    ways: GroupSums,
    way: number,
    known: Set<string>,
  ): Pick<Edge, 'sourceName' | 'targetName' | 'targetIsService' | 'kind'> {
    const targetName = this.names.text(ways.key(way, 2))
    return {
      sourceName: this.names.text(ways.key(way, 1)),
      targetName,
      targetIsService: known.has(targetName),
      kind: ways.key(way, 0) === PRODUCER ? 'PRODUCER' : 'CLIENT',
    }
  }

  private at(
    minute: number,
    kind: number,
    source: number,
    callee: number,
    called: number,
    dependency: number,
  ): { sums: GroupSums; at: number } {
    const key = this.byMinute ? minute : 0
    let sums = this.minutes.get(key)
    if (!sums) {
      sums = new GroupSums(5)
      // Minutes are much alike.
      sums.reserve(this.newest?.size ?? 0)
      this.minutes.set(key, sums)
      this.newest = sums
    }
    return { sums, at: sums.at(kind, source, callee, called, dependency) }
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

/** Calls at the ragged ends of a window, added up before they get names: by minute. */
function raggedCalls(figures: OpenFigures, window: TimeWindow): Map<number, GroupSums> {
  const minutes = new Map<number, GroupSums>()
  const sumsOf = (minute: number) => {
    const sums = minutes.get(minute) ?? new GroupSums(5)
    minutes.set(minute, sums)
    return sums
  }
  figures.eachOpenRagged(window, 'calls', (figure) => {
    const { kind, service, callee, called, dependency, n, low, high } = figure
    const sums = sumsOf(figure.minute)
    const at = sums.at(kind, service, callee, called, dependency)
    addCalls(sums, at, figure, { count: n, low: n * low, high: n * high })
  })
  for (const { rows, range, minute } of figures.keptRagged(window, 'calls')) {
    const sums = sumsOf(minute)
    rows.addUp(range, (group, added) => {
      const { kind, status, role, places } = rows.groupOf(group)
      const [service, called, dependency, callee] = places
      addCalls(sums, sums.at(kind, service, callee, called, dependency), { status, role, callee }, added)
    })
  }
  return minutes
}

function addCalls(
  sums: GroupSums,
  at: number,
  { status, role, callee }: Pick<Figure, 'status' | 'role' | 'callee'>,
  { count, low, high }: { count: number; low: number; high: number },
): void {
  add(sums, at + CALLS, count)
  add(sums, at + LOW, low)
  add(sums, at + HIGH, high)
  if (status !== ERROR) return
  add(sums, at + ERRORS, count)
  if (callee === 0 && (role & ANSWERED) === 0) add(sums, at + UNANSWERED, count)
}

function add(sums: GroupSums, at: number, value: number): void {
  sums.sums[at] = (sums.sums[at] as number) + value
}
