import { FailureTable } from '../../../domain/failure-table.ts'
import { type Failures, SAMPLES_MAX, type Telling } from '../../../domain/failures.ts'
import type { TimeWindow } from '../../../domain/time-window.ts'
import type { NumberColumns } from '../engine/number-columns.ts'
import type { Parameters, Session } from '../engine/session.ts'
import type { HourFile } from '../files/hour-file.ts'
import type { OpenFile } from '../files/open-file.ts'
import { nsRangeOfHour } from '../layout.ts'
import { namesOf } from '../scope/hour-names.ts'
import { inRanges } from '../scope/minute-ranges.ts'
import type { HourUnit, Scope } from '../scope/scope.ts'
import type { KeptTelling } from './kept-failures.ts'
import { OpenFailures } from './open-failures.ts'
import { recentFailures, type UnitFailures } from './recent-failures.ts'
import { shortened, spanNumbers } from './span-numbers.ts'

/** So many of the newest hours are answered from memory where they can be: questions are mostly about them. */
const RECENT_UNITS = 2
/** The failed spans of so many hours are looked for by one statement, which takes memory for each of them. */
const UNITS_AT_ONCE = 6

interface Asked {
  window: TimeWindow
  serviceName: string | undefined
  limit: number
}

export async function failures(
  scope: Scope,
  window: TimeWindow,
  serviceName: string | undefined,
  limit: number,
): Promise<Failures> {
  const asked = { window, serviceName, limit }
  const found = new FailureTable()
  const tellings = new Tellings(found)
  const older = await addRecent(scope, asked, found, tellings)
  for (let first = 0; first < older.length; first += UNITS_AT_ONCE) {
    // The newest hours come first, and what is in others is older.
    if (found.count >= limit) break
    const units = older.slice(first, first + UNITS_AT_ONCE)
    const files = units.flatMap(({ file }) => file ?? [])
    if (!(await addSealed(scope.session, files, asked, found, tellings)))
      for (const file of files) if (found.count < limit) await addSealed(scope.session, [file], asked, found, tellings)
    for (const unit of units) await addOpen(scope, unit, await scope.unsealedOf(unit), asked, found, tellings)
  }
  return found.newest(limit)
}

/** The newest hours, from memory as far as they are there. Returns the units that are left. */
async function addRecent(scope: Scope, asked: Asked, found: FailureTable, tellings: Tellings): Promise<HourUnit[]> {
  const units = scope.units.slice(0, RECENT_UNITS)
  const recent = await recentFailures(scope, units, asked.window)
  for (const [i, unit] of units.entries()) {
    const failures = recent.get(unit)
    if (unit.file && !failures) return scope.units.slice(i)
    if (failures) await addKept(scope.session, unit, failures, asked, found, tellings)
    await addOpen(scope, unit, failures?.unsealed ?? unit.open, asked, found, tellings)
  }
  return scope.units.slice(RECENT_UNITS)
}

async function addKept(
  session: Session,
  { hour }: HourUnit,
  { file, failures, lastRow }: UnitFailures,
  { window, serviceName }: Asked,
  found: FailureTable,
  tellings: Tellings,
): Promise<void> {
  const { columns, count } = failures
  const { firstNs } = nsRangeOfHour(hour)
  const sinceWindowNs = Number(firstNs - window.startNs)
  const [startNs, endNs] = [-sinceWindowNs, Number(window.endNs - firstNs)]
  const serviceOf = await namesOf(session, file, failures.services)
  const isAsked = new Uint8Array(Math.max(0, ...failures.services) + 1)
  for (const no of failures.services) if (serviceName === undefined || serviceOf(no) === serviceName) isAsked[no] = 1
  const rows: number[] = []
  for (let row = 0; row < count; row++) {
    const sinceHourNs = columns.sinceHourNs[row] as number
    if (sinceHourNs < startNs || sinceHourNs >= endNs || (columns.row[row] as number) > lastRow) continue
    if (isAsked[columns.service[row] as number] === 1) rows.push(row)
  }
  const operationOf = await namesOf(session, file, new Set(rows.map((row) => columns.operation[row] as number)))
  const service = once((no) => found.name(serviceOf(no)))
  const operation = once((no) => found.name(operationOf(no)))
  const told = once((place) => {
    const { hash, telling, content } = failures.tellings[place] as KeptTelling
    return tellings.of(hash, telling, content)
  })
  const samples = new Map<number, number[]>()
  for (const row of rows) {
    const telling = columns.told[row] as number
    found.add({
      trace: columns.trace[row] as number,
      span: columns.span[row] as number,
      parent: columns.parent[row] as number,
      startNs: (columns.sinceHourNs[row] as number) + sinceWindowNs,
      durationNs: columns.durationNs[row] as number,
      kind: columns.kind[row] as number,
      service: service(columns.service[row] as number),
      operation: operation(columns.operation[row] as number),
      told: told(telling),
    })
    const chosen = samples.get(telling) ?? []
    samples.set(telling, chosen)
    sampleInto(chosen, row, columns.span)
  }
  for (const [telling, chosen] of samples)
    for (const row of chosen) tellings.sample(told(telling), failures.valuesOf(row))
}

/** Chooses the rows with the highest numbers of spans, which are as good as drawn. They descend. */
function sampleInto(chosen: number[], row: number, spans: Float64Array): void {
  const span = spans[row] as number
  let at = chosen.length
  if (at === SAMPLES_MAX && span <= (spans[chosen[at - 1] as number] as number)) return
  while (at > 0 && span > (spans[chosen[at - 1] as number] as number)) at--
  chosen.splice(at, 0, row)
  if (chosen.length > SAMPLES_MAX) chosen.pop()
}

/** Looks each number up once. */
function once(find: (number: number) => number): (number: number) => number {
  const found: (number | undefined)[] = []
  return (number) => (found[number] ??= find(number))
}

/** Where the numbers of a sealed span are. */
const [FILE, TRACE, SPAN, PARENT, START, DURATION, KIND, SERVICE, OPERATION, TOLD] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]

/** The failed spans of a file that are asked about, as what stands behind SELECT. */
interface FileRows {
  file: HourFile
  rows: string
}

/** Those of one file, or of several, where they are no more than the limit: false where they are. */
async function addSealed(
  session: Session,
  files: HourFile[],
  asked: Asked,
  found: FailureTable,
  tellings: Tellings,
): Promise<boolean> {
  const { window, limit } = asked
  const all = rowsOf(files, asked)
  if (all.length === 0) return true
  const parameters = parametersOf(asked)
  const columns = `${spanNumbers('trace_key', window.startNs)}, service_no, operation_no, ${shortened('telling')}`
  const select = (from: FileRows[]) =>
    from.map(({ rows }, i) => `SELECT ${i}::UINTEGER AS file, ${columns} ${rows}`).join(' UNION ALL ')
  const few = await session.numbers(`SELECT * FROM (${select(all)}) LIMIT ${limit + 1}`, parameters)
  if (few.rows > limit && all.length > 1) return false
  const newest = few.rows > limit ? await newestOf(session, all, asked) : all
  const spans = newest === all ? few : await session.numbers(select(newest), parameters)
  if (spans.rows === 0) return true
  await addTellings(session, newest, asked, tellings)
  const placeOf = await namePlaces(session, newest, spans, found)
  const at = (column: number, row: number) => spans.column(column)[row] as number
  for (let row = 0; row < spans.rows; row++)
    found.add({
      trace: at(TRACE, row),
      span: at(SPAN, row),
      parent: at(PARENT, row),
      startNs: at(START, row),
      durationNs: at(DURATION, row),
      kind: at(KIND, row),
      service: placeOf(at(FILE, row), at(SERVICE, row)),
      operation: placeOf(at(FILE, row), at(OPERATION, row)),
      told: tellings.place(at(TOLD, row)),
    })
  return true
}

function parametersOf({ serviceName }: Asked): Parameters {
  return serviceName === undefined ? {} : { service: serviceName }
}

function rowsOf(files: HourFile[], { window, serviceName }: Asked): FileRows[] {
  return files.map((file) => {
    const { alias } = file
    const service = `AND service_no IN (SELECT name_no FROM ${alias}.names WHERE name = $service)`
    const ofService = serviceName === undefined ? '' : service
    return { file, rows: `FROM ${alias}.failed_spans WHERE ${inRanges('start_ns', [window])} ${ofService}` }
  })
}

/** The rows that began last, and all that began together with the last of them. */
async function newestOf(session: Session, [all]: FileRows[], asked: Asked): Promise<FileRows[]> {
  if (!all) return []
  const [last] = await session.rows(
    `SELECT min(start_ns) AS start_ns FROM (SELECT start_ns ${all.rows} ORDER BY start_ns DESC LIMIT ${asked.limit})`,
    parametersOf(asked),
  )
  return [{ ...all, rows: `${all.rows} AND start_ns >= ${last?.['start_ns']}` }]
}

async function addTellings(session: Session, all: FileRows[], asked: Asked, tellings: Tellings): Promise<void> {
  const told = await session.rows(
    all
      .map(
        ({ file, rows }) => `SELECT ${shortened('telling')} AS told, content, samples FROM (
           SELECT telling, to_json(max_by(own_values, hash(span_id), ${SAMPLES_MAX}))::VARCHAR AS samples ${rows} GROUP BY telling)
         JOIN ${file.alias}.tellings USING (telling)`,
      )
      .join(' UNION ALL '),
    parametersOf(asked),
  )
  for (const row of told) {
    const telling = JSON.parse(row['content'] as string) as Omit<Telling, 'samples'>
    const samples = JSON.parse(row['samples'] as string) as string[]
    const place = tellings.of(row['told'] as number, telling)
    for (const values of samples) tellings.sample(place, values === '' ? [] : (JSON.parse(values) as string[]))
  }
}

async function namePlaces(
  session: Session,
  all: FileRows[],
  spans: NumberColumns,
  found: FailureTable,
): Promise<(file: number, no: number) => number> {
  const numbers = all.map(() => new Set<number>())
  const files = spans.column(FILE)
  for (const column of [SERVICE, OPERATION])
    for (let row = 0; row < spans.rows; row++) numbers[files[row] as number]?.add(spans.column(column)[row] as number)
  const places: Map<number, number>[] = []
  for (const [i, { file }] of all.entries()) {
    const own = numbers[i] as Set<number>
    const nameOf = await namesOf(session, file, own)
    places.push(new Map([...own].map((no) => [no, found.name(nameOf(no))])))
  }
  return (file, no) => places[file]?.get(no) as number
}

async function addOpen(
  scope: Scope,
  unit: HourUnit,
  unsealed: OpenFile[],
  { window, serviceName }: Asked,
  found: FailureTable,
  tellings: Tellings,
): Promise<void> {
  const { firstNs } = nsRangeOfHour(unit.hour)
  const sinceWindowNs = Number(firstNs - window.startNs)
  const [startNs, endNs] = [Number(window.startNs - firstNs), Number(window.endNs - firstNs)]
  for (const file of unsealed)
    for (const failure of await OpenFailures.of(file, scope.grid.grid, unit.hour).read(scope, file, unit.hour)) {
      const { sinceHourNs, service, operation, content, telling, values, ...numbers } = failure
      if (sinceHourNs < startNs || sinceHourNs >= endNs) continue
      if (serviceName !== undefined && service !== serviceName) continue
      const told = tellings.ofContent(telling, content)
      tellings.sample(told, values)
      found.add({
        ...numbers,
        startNs: sinceHourNs + sinceWindowNs,
        service: found.name(service),
        operation: found.name(operation),
        told,
      })
    }
}

/** What failed spans tell, each once, wherever it is told. */
class Tellings {
  private readonly table: FailureTable
  private readonly byHash = new Map<number, number>()
  private readonly byContent = new Map<string, number>()
  private readonly samples: string[][][] = []

  constructor(table: FailureTable) {
    this.table = table
  }

  /** The place of what has this hash in a file. */
  place(hash: number): number {
    return this.byHash.get(hash) as number
  }

  of(hash: number, telling: Omit<Telling, 'samples'>, content?: string): number {
    const place = this.byHash.get(hash) ?? this.ofContent(telling, content)
    this.byHash.set(hash, place)
    return place
  }

  ofContent(telling: Omit<Telling, 'samples'>, content = JSON.stringify(telling)): number {
    const known = this.byContent.get(content)
    if (known !== undefined) return known
    const samples: string[][] = []
    const place = this.table.tell({ ...telling, samples })
    this.samples[place] = samples
    this.byContent.set(content, place)
    return place
  }

  sample(place: number, values: string[]): void {
    const samples = this.samples[place] as string[][]
    if (samples.length < SAMPLES_MAX) samples.push(values)
  }
}
