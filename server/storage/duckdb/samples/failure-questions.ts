import { FailureTable } from '../../../domain/failure-table.ts'
import { type Failures, SAMPLES_MAX, type Telling } from '../../../domain/failures.ts'
import type { TimeWindow } from '../../../domain/time-window.ts'
import type { NumberColumns } from '../engine/number-columns.ts'
import type { Row, Session } from '../engine/session.ts'
import type { HourFile } from '../files/hour-file.ts'
import { namesOf, numbersOf } from '../scope/hour-names.ts'
import { inRanges } from '../scope/minute-ranges.ts'
import { type HourUnit, openRows, type Scope } from '../scope/scope.ts'
import { FAILURE_TEXTS, toldInTexts } from '../seal/failure-texts.ts'
import { openOrigins } from '../traces/span-rows-read.ts'

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

/** As many bits of a hash as a double holds: ids are only ever compared. */
const shortened = (hash: string) => `(${hash} >> 11)::DOUBLE`

function numbersOfSpan(traceKey: string, { window }: Asked): string {
  return `${shortened(traceKey)} AS trace, ${shortened('hash(span_id)')} AS span,
    CASE WHEN parent_id = 0 THEN 0 ELSE ${shortened('hash(parent_id)')} END AS parent,
    (start_ns - ${window.startNs})::DOUBLE AS start, duration_ns::DOUBLE AS duration, kind`
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
  const columns = `${numbersOfSpan('trace_key', asked)}, service_no, operation_no, ${shortened('telling')}`
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
  asked: Asked,
  found: FailureTable,
  tellings: Tellings,
): Promise<void> {
  const { window, serviceName } = asked
  const own = 'trace_id, span_id, parent_id, start_ns, duration_ns, kind'
  const rows = openRows(unit, 'spans', `${own}, status, status_message, operation, origin, attributes, events`)
  if (!rows) return
  const failed = await scope.session.rows(
    `SELECT ${numbersOfSpan('hash(trace_id)', asked)}, service, operation, status_message, attributes, exceptions FROM (
       SELECT ${own}, s.status_message, ${FAILURE_TEXTS}, g.service, s.operation
     FROM (SELECT * FROM ${rows} WHERE ${inRanges('start_ns', [window])} AND status = 2) s
     JOIN ${openOrigins(unit)} g USING (origin) ${serviceName === undefined ? '' : 'WHERE g.service = $service'})`,
    { ...scope.grid, ...(serviceName === undefined ? {} : { service: serviceName }) },
  )
  for (const row of failed)
    found.add({
      trace: row['trace'] as number,
      span: row['span'] as number,
      parent: row['parent'] as number,
      startNs: row['start'] as number,
      durationNs: row['duration'] as number,
      kind: row['kind'] as number,
      service: found.name(row['service'] as string),
      operation: found.name(row['operation'] as string),
      told: placeOfOpen(row, tellings),
    })
}

function placeOfOpen(row: Row, tellings: Tellings): number {
  const { telling, values } = toldInTexts({
    statusMessage: row['status_message'] as string,
    attributes: row['attributes'] as string,
    exceptions: row['exceptions'] as string,
  })
  const place = tellings.ofContent(telling)
  tellings.sample(place, values)
  return place
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

  ofContent(telling: Omit<Telling, 'samples'>): number {
    const content = JSON.stringify(telling)
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
