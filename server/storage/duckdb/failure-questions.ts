import type { Attributes, AttributeValue } from '../../domain/attributes.ts'
import { FailureTable } from '../../domain/failure-table.ts'
import { FAILURE_ATTRIBUTES, type Failures, type Telling } from '../../domain/failures.ts'
import type { TimeWindow } from '../../domain/time-window.ts'
import { FAILURE_TEXTS } from './failure-texts.ts'
import { namesOf, numbersOf } from './hour-names.ts'
import { inRanges } from './minute-ranges.ts'
import { type HourUnit, openRows, type Scope } from './scope.ts'
import type { Row, Session } from './session.ts'
import { openOrigins } from './span-rows-read.ts'

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
    await addSealed(scope, unit, asked, found, tellings)
    await addOpen(scope, unit, asked, found, tellings)
  }
  return found.newest(limit)
}

/** As many bits of a hash as a double holds: ids and texts are only ever compared. */
const hashed = (...columns: string[]) => `(hash(${columns.join(', ')}) >> 11)::DOUBLE`
const TEXTS = ['status_message', 'attributes', 'exceptions']

/** What tells failed spans apart and what they tell, as numbers. */
function numbersOfRows({ window }: Asked): string {
  return `${hashed('trace_id')} AS trace, ${hashed('span_id')} AS span,
    CASE WHEN parent_id = 0 THEN 0 ELSE ${hashed('parent_id')} END AS parent,
    (start_ns - ${window.startNs})::DOUBLE AS start, duration_ns::DOUBLE AS duration, kind`
}

async function addSealed(
  { session }: Scope,
  { file }: HourUnit,
  asked: Asked,
  found: FailureTable,
  tellings: Tellings,
): Promise<void> {
  if (!file) return
  const { window, serviceName, limit } = asked
  const numbers = serviceName === undefined ? undefined : await numbersOf(session, file, [serviceName])
  if (numbers?.size === 0) return
  const ofService = numbers ? `AND service_no IN (${[...numbers.values()].join(', ')})` : ''
  const all = `FROM ${file.alias}.failures WHERE ${inRanges('start_ns', [window])} ${ofService}`
  const rows = `${all} ${await sinceThose(session, all, limit)}`
  const answer = await session.numbers(
    `SELECT ${numbersOfRows(asked)}, service_no, operation_no, ${hashed(...TEXTS)}
     FROM (SELECT * ${rows}) JOIN ${file.alias}.traces USING (trace_no)`,
  )
  if (answer.rows === 0) return
  for (const row of await session.rows(
    `SELECT ${hashed(...TEXTS)} AS told, ${TEXTS.map((text) => `any_value(${text}) AS ${text}`).join(', ')} ${rows} GROUP BY told`,
  ))
    tellings.of(row)
  const column = (index: number) => answer.column(index)
  const [traces, spans, parents, starts, durations, kinds] = [0, 1, 2, 3, 4, 5].map(column) as Float64Array[]
  const [services, operations, told] = [6, 7, 8].map(column) as Float64Array[]
  const numbered = new Set([services, operations].flatMap((names) => [...new Set(names?.subarray(0, answer.rows))]))
  const nameOf = await namesOf(session, file, numbered)
  const places = new Map([...numbered].map((no) => [no, found.name(nameOf(no))]))
  const at = (of: Float64Array | undefined, row: number) => of?.[row] as number
  for (let row = 0; row < answer.rows; row++)
    found.add({
      trace: at(traces, row),
      span: at(spans, row),
      parent: at(parents, row),
      startNs: at(starts, row),
      durationNs: at(durations, row),
      kind: at(kinds, row),
      service: places.get(at(services, row)) as number,
      operation: places.get(at(operations, row)) as number,
      told: tellings.place(at(told, row)),
    })
}

/** Counting is cheap: most often there are not so many, and nothing need be put in order. */
async function sinceThose(session: Session, rows: string, limit: number): Promise<string> {
  const counted = await session.numbers(`SELECT count(*)::DOUBLE ${rows}`)
  if ((counted.column(0)[0] as number) <= limit) return ''
  const [last] = await session.rows(
    `SELECT min(start_ns) AS start_ns FROM (SELECT start_ns ${rows} ORDER BY start_ns DESC LIMIT ${limit})`,
  )
  return `AND start_ns >= ${last?.['start_ns']}`
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
    `SELECT ${numbersOfRows(asked)}, service, operation, ${hashed(...TEXTS)} AS told, ${TEXTS.join(', ')} FROM (
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
      told: tellings.of(row),
    })
}

/** What failed spans tell, each text once. */
class Tellings {
  private readonly table: FailureTable
  private readonly places = new Map<number, number>()

  constructor(table: FailureTable) {
    this.table = table
  }

  place(told: number): number {
    return this.places.get(told) as number
  }

  of(row: Row): number {
    const told = row['told'] as number
    const known = this.places.get(told)
    if (known !== undefined) return known
    const place = this.table.tell(tellingOf(row))
    this.places.set(told, place)
    return place
  }
}

function tellingOf(row: Row): Telling {
  return {
    statusMessage: row['status_message'] as string,
    attributes: attributesOf(row['attributes'] as string),
    exceptions: exceptionsOf(row['exceptions'] as string),
  }
}

function attributesOf(json: string): Attributes {
  const values = json === '' ? [] : (JSON.parse(json) as (AttributeValue | null)[])
  return Object.fromEntries(
    values.flatMap((value, i) => (value === null ? [] : [[FAILURE_ATTRIBUTES[i] as string, value]])),
  )
}

interface StoredException {
  /** Files of an earlier program say when each was thrown, and have them in the order in which they were recorded. */
  time?: string
  type: AttributeValue | null
  message: AttributeValue | null
}

function exceptionsOf(json: string): Telling['exceptions'] {
  const exceptions = json === '' ? [] : (JSON.parse(json) as StoredException[])
  return exceptions
    .sort((a, b) => Number(BigInt(a.time ?? 0) - BigInt(b.time ?? 0)))
    .map(({ type, message }) => ({ type: type ?? undefined, message: message ?? undefined }))
}
