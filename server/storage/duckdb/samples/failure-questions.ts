import { FailureTable } from '../../../domain/failure-table.ts'
import { type Failures, SAMPLES_MAX, type Telling } from '../../../domain/failures.ts'
import type { TimeWindow } from '../../../domain/time-window.ts'
import type { NumberColumns } from '../engine/number-columns.ts'
import type { Session } from '../engine/session.ts'
import type { HourFile } from '../files/hour-file.ts'
import { nsRangeOfHour } from '../layout.ts'
import { namesOf, numbersOf } from '../scope/hour-names.ts'
import { inRanges } from '../scope/minute-ranges.ts'
import type { HourUnit, Scope } from '../scope/scope.ts'
import { OpenFailures } from './open-failures.ts'
import { shortened, spanNumbers } from './span-numbers.ts'

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
  for (const unit of scope.units) {
    // The newest hours come first, and what is in others is older.
    if (found.count >= limit) break
    if (unit.file) await addSealed(scope.session, unit.file, asked, found, tellings)
    await addOpen(scope, unit, asked, found, tellings)
  }
  return found.newest(limit)
}

/** Where the numbers of a sealed span are. */
const [TRACE, SPAN, PARENT, START, DURATION, KIND, SERVICE, OPERATION, TOLD] = [0, 1, 2, 3, 4, 5, 6, 7, 8]

async function addSealed(
  session: Session,
  file: HourFile,
  asked: Asked,
  found: FailureTable,
  tellings: Tellings,
): Promise<void> {
  const { window, serviceName, limit } = asked
  const numbers = serviceName === undefined ? undefined : await numbersOf(session, file, [serviceName])
  if (numbers?.size === 0) return
  const ofService = numbers ? `AND service_no IN (${[...numbers.values()].join(', ')})` : ''
  const all = `FROM ${file.alias}.failed_spans WHERE ${inRanges('start_ns', [window])} ${ofService}`
  const columns = `${spanNumbers('trace_key', window.startNs)}, service_no, operation_no, ${shortened('telling')}`
  const few = await session.numbers(`SELECT ${columns} ${all} LIMIT ${limit + 1}`)
  const rows = few.rows <= limit ? all : `${all} ${await sinceThose(session, all, limit)}`
  const spans = rows === all ? few : await session.numbers(`SELECT ${columns} ${rows}`)
  if (spans.rows === 0) return
  await addTellings(session, file, rows, tellings)
  const placeOf = await namePlaces(session, file, spans, found)
  const at = (column: number, row: number) => spans.column(column)[row] as number
  for (let row = 0; row < spans.rows; row++)
    found.add({
      trace: at(TRACE, row),
      span: at(SPAN, row),
      parent: at(PARENT, row),
      startNs: at(START, row),
      durationNs: at(DURATION, row),
      kind: at(KIND, row),
      service: placeOf(at(SERVICE, row)),
      operation: placeOf(at(OPERATION, row)),
      told: tellings.place(at(TOLD, row)),
    })
}

/** What is true of the rows that began last, and of all that began together with the last of them. */
async function sinceThose(session: Session, rows: string, limit: number): Promise<string> {
  const [last] = await session.rows(
    `SELECT min(start_ns) AS start_ns FROM (SELECT start_ns ${rows} ORDER BY start_ns DESC LIMIT ${limit})`,
  )
  return `AND start_ns >= ${last?.['start_ns']}`
}

async function addTellings(session: Session, { alias }: HourFile, rows: string, tellings: Tellings): Promise<void> {
  const told = await session.rows(
    `SELECT ${shortened('telling')} AS told, content, samples FROM (
       SELECT telling, to_json(max_by(own_values, hash(span_id), ${SAMPLES_MAX}))::VARCHAR AS samples ${rows} GROUP BY telling)
     JOIN ${alias}.tellings USING (telling)`,
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
  file: HourFile,
  spans: NumberColumns,
  found: FailureTable,
): Promise<(no: number) => number> {
  const numbers = new Set<number>()
  for (const column of [SERVICE, OPERATION])
    for (const no of spans.column(column).subarray(0, spans.rows)) numbers.add(no)
  const nameOf = await namesOf(session, file, numbers)
  const places = new Map([...numbers].map((no) => [no, found.name(nameOf(no))]))
  return (no) => places.get(no) as number
}

async function addOpen(
  scope: Scope,
  unit: HourUnit,
  { window, serviceName }: Asked,
  found: FailureTable,
  tellings: Tellings,
): Promise<void> {
  const { firstNs } = nsRangeOfHour(unit.hour)
  const sinceWindowNs = Number(firstNs - window.startNs)
  const [startNs, endNs] = [Number(window.startNs - firstNs), Number(window.endNs - firstNs)]
  for (const file of await scope.unsealedOf(unit))
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

  of(hash: number, telling: Omit<Telling, 'samples'>): number {
    const place = this.byHash.get(hash) ?? this.ofContent(telling)
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
