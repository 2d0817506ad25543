import type { FailedSpan } from '../../domain/failed-span.ts'
import type { TimeWindow } from '../../domain/time-window.ts'
import { FailedRows } from './failed-rows.ts'
import { FAILURE_TEXTS } from './failure-texts.ts'
import { namesOf, numbersOf } from './hour-names.ts'
import { inRanges } from './minute-ranges.ts'
import { type HourUnit, openRows, type Scope } from './scope.ts'
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
const TEXTS = 'status_message, attributes, exceptions'

/** Those that began last, and all that began with the last of them. */
async function addSealed(scope: Scope, { file }: HourUnit, asked: Asked, found: FailedRows): Promise<void> {
  if (!file) return
  const { session } = scope
  const { window, serviceName, limit } = asked
  const numbers = serviceName === undefined ? undefined : await numbersOf(session, file, [serviceName])
  if (numbers?.size === 0) return
  const ofService = numbers ? `AND service_no IN (${[...numbers.values()].join(', ')})` : ''
  const rows = `FROM ${file.alias}.failures WHERE ${inRanges('start_ns', [window])} ${ofService}`
  const named: { row: FailedSpan; service: number; operation: number }[] = []
  await session.chunks(
    `SELECT t.trace_id, ${OWN}, ${TEXTS}, service_no, operation_no FROM (SELECT * ${rows} AND start_ns >= (
       SELECT min(start_ns) FROM (SELECT start_ns ${rows} ORDER BY start_ns DESC LIMIT ${limit}))) f
     JOIN ${file.alias}.traces t ON t.trace_no = f.trace_no`,
    (chunk) =>
      found.add(chunk, (row, service, operation) =>
        named.push({ row, service: service as number, operation: operation as number }),
      ),
  )
  const nameOf = await namesOf(session, file, new Set(named.flatMap(({ service, operation }) => [service, operation])))
  for (const { row, service, operation } of named) {
    row.serviceName = nameOf(service)
    row.operationName = nameOf(operation)
  }
}

async function addOpen(scope: Scope, unit: HourUnit, { window, serviceName }: Asked, found: FailedRows): Promise<void> {
  const rows = openRows(
    unit,
    'spans',
    `trace_id, ${OWN}, status, status_message, operation, origin, attributes, events`,
  )
  if (!rows) return
  await scope.session.chunks(
    `SELECT s.trace_id, ${OWN}, s.status_message, ${FAILURE_TEXTS}, g.service, s.operation
     FROM (SELECT * FROM ${rows} WHERE ${inRanges('start_ns', [window])} AND status = 2) s
     JOIN ${openOrigins(unit)} g USING (origin) ${serviceName === undefined ? '' : 'WHERE g.service = $service'}`,
    (chunk) =>
      found.add(chunk, (row, service, operation) => {
        row.serviceName = service as string
        row.operationName = operation as string
      }),
    { ...scope.grid, ...(serviceName === undefined ? {} : { service: serviceName }) },
  )
}
