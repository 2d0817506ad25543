import type { Attributes } from '../../domain/attributes.ts'
import type { FailedSpan } from '../../domain/failed-span.ts'
import type { TimeWindow } from '../../domain/time-window.ts'
import { FailedRows, idColumn } from './failed-rows.ts'
import { FAILURE_TEXTS } from './failure-texts.ts'
import type { HourFile } from './hour-file.ts'
import { namesOf, numbersOf } from './hour-names.ts'
import { inRanges } from './minute-ranges.ts'
import { type HourUnit, openRows, type Scope } from './scope.ts'
import type { Session } from './session.ts'
import { openOrigins } from './span-rows-read.ts'

interface Asked {
  window: TimeWindow
  serviceName: string | undefined
  limit: number
}

/** Newest first, by their ids where they began at the same moment. */
export async function errorSpans(
  scope: Scope,
  window: TimeWindow,
  serviceName: string | undefined,
  limit: number,
): Promise<FailedSpan[]> {
  const asked = { window, serviceName, limit }
  const found = new FailedRows()
  for (const unit of scope.units) {
    // The newest hours come first, and what is in others is older.
    if (found.size >= limit) break
    await addSealed(scope, unit, asked, found)
    await addOpen(scope, unit, asked, found)
  }
  return found.newest(limit)
}

const OWN = 'span_id, parent_id, start_ns, duration_ns, kind'

/** Those that began last, and all that began with the last of them. */
async function addSealed(scope: Scope, { file }: HourUnit, asked: Asked, found: FailedRows): Promise<void> {
  if (!file) return
  const { session } = scope
  const { window, serviceName, limit } = asked
  const numbers = serviceName === undefined ? undefined : await numbersOf(session, file, [serviceName])
  if (numbers?.size === 0) return
  const ofService = numbers ? `AND service_no IN (${[...numbers.values()].join(', ')})` : ''
  const all = `FROM ${file.alias}.failures WHERE ${inRanges('start_ns', [window])} ${ofService}`
  const rows = `${all} ${await sinceThose(session, all, limit)}`
  const traceOf = await traceIds(session, file, rows)
  const attributes = await distinctAttributes(session, rows, found)
  const named: { row: FailedSpan; service: number; operation: number }[] = []
  await session.chunks(
    `SELECT trace_no, ${OWN}, status_message, exceptions, a.no, service_no, operation_no FROM (SELECT * ${rows}) f
     JOIN (SELECT attributes, (row_number() OVER (ORDER BY attributes) - 1)::UINTEGER AS no
       FROM (SELECT DISTINCT attributes ${rows})) a USING (attributes)`,
    (chunk) =>
      found.add(chunk, {
        traceIds: (chunk.getColumnValues(0) as number[]).map(traceOf),
        attributesOf: (no) => attributes[no as number] as Attributes,
        name: (row, service, operation) =>
          named.push({ row, service: service as number, operation: operation as number }),
      }),
  )
  const nameOf = await namesOf(session, file, new Set(named.flatMap(({ service, operation }) => [service, operation])))
  for (const { row, service, operation } of named) {
    row.serviceName = nameOf(service)
    row.operationName = nameOf(operation)
  }
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

/** The ids of traces by their numbers. Apart from the rows: a join would carry all of their texts along. */
async function traceIds(session: Session, { alias }: HourFile, rows: string): Promise<(no: number) => string> {
  const ids = new Map<number, string>()
  await session.chunks(
    `SELECT trace_no, trace_id FROM ${alias}.traces WHERE trace_no IN (SELECT trace_no ${rows})`,
    (chunk) => {
      const texts = idColumn(chunk, 1, 16)
      for (const [i, no] of chunk.getColumnValues(0).entries()) ids.set(no as number, texts[i] as string)
    },
  )
  return (no) => ids.get(no) as string
}

/** In the order in which rows are told by number which of them they have: each is read once, and they are long. */
async function distinctAttributes(session: Session, rows: string, found: FailedRows): Promise<Attributes[]> {
  const distinct: Attributes[] = []
  await session.chunks(`SELECT DISTINCT attributes ${rows} ORDER BY attributes`, (chunk) => {
    for (const text of found.textsOf(chunk, 0)) distinct.push(found.attributesOf(text))
  })
  return distinct
}

async function addOpen(scope: Scope, unit: HourUnit, { window, serviceName }: Asked, found: FailedRows): Promise<void> {
  const rows = openRows(
    unit,
    'spans',
    `trace_id, ${OWN}, status, status_message, operation, origin, attributes, events`,
  )
  if (!rows) return
  await scope.session.chunks(
    `SELECT trace_id, ${OWN}, status_message, exceptions, attributes, service, operation FROM (
       SELECT s.trace_id, ${OWN}, s.status_message, ${FAILURE_TEXTS}, g.service, s.operation
     FROM (SELECT * FROM ${rows} WHERE ${inRanges('start_ns', [window])} AND status = 2) s
     JOIN ${openOrigins(unit)} g USING (origin) ${serviceName === undefined ? '' : 'WHERE g.service = $service'})`,
    (chunk) =>
      found.add(chunk, {
        traceIds: idColumn(chunk, 0, 16),
        attributesOf: (text) => found.attributesOf(text as string),
        name: (row, service, operation) => {
          row.serviceName = service as string
          row.operationName = operation as string
        },
      }),
    { ...scope.grid, ...(serviceName === undefined ? {} : { service: serviceName }) },
  )
}
