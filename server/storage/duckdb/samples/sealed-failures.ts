import type { FailureTable } from '../../../domain/failure-table.ts'
import { SAMPLES_MAX, type Telling } from '../../../domain/failures.ts'
import type { TimeWindow } from '../../../domain/time-window.ts'
import type { NumberColumns } from '../engine/number-columns.ts'
import type { Parameters, Session } from '../engine/session.ts'
import type { HourFile } from '../files/hour-file.ts'
import { namesOf } from '../scope/hour-names.ts'
import { inRanges } from '../scope/minute-ranges.ts'
import { shortened, spanNumbers } from './span-numbers.ts'
import type { Tellings } from './tellings.ts'

/** Which failed spans a question is about. */
export interface AskedFailures {
  window: TimeWindow
  serviceName: string | undefined
  limit: number
}

/** Where the numbers of a sealed span are. */
const [FILE, TRACE, SPAN, PARENT, START, DURATION, KIND, SERVICE, OPERATION, TOLD] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]

/** The failed spans of a file that are asked about, as what stands behind SELECT. */
interface FileRows {
  file: HourFile
  rows: string
}

/** Those of one file, or of several, where they are no more than the limit: false where they are. */
export async function addSealed(
  session: Session,
  files: HourFile[],
  asked: AskedFailures,
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

function parametersOf({ serviceName }: AskedFailures): Parameters {
  return serviceName === undefined ? {} : { service: serviceName }
}

function rowsOf(files: HourFile[], { window, serviceName }: AskedFailures): FileRows[] {
  return files.map((file) => {
    const { alias } = file
    const service = `AND service_no IN (SELECT name_no FROM ${alias}.names WHERE name = $service)`
    const ofService = serviceName === undefined ? '' : service
    return { file, rows: `FROM ${alias}.failed_spans WHERE ${inRanges('start_ns', [window])} ${ofService}` }
  })
}

/** The rows that began last, and all that began together with the last of them. */
async function newestOf(session: Session, [all]: FileRows[], asked: AskedFailures): Promise<FileRows[]> {
  if (!all) return []
  const [last] = await session.rows(
    `SELECT min(start_ns) AS start_ns FROM (SELECT start_ns ${all.rows} ORDER BY start_ns DESC LIMIT ${asked.limit})`,
    parametersOf(asked),
  )
  return [{ ...all, rows: `${all.rows} AND start_ns >= ${last?.['start_ns']}` }]
}

async function addTellings(session: Session, all: FileRows[], asked: AskedFailures, tellings: Tellings): Promise<void> {
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
