import type { Session } from '../engine/session.ts'
import type { HourFile } from '../files/hour-file.ts'
import { nsRangeOfHour } from '../layout.ts'
import type { LiveSpans } from '../live/live-spans.ts'
import { ANSWERED } from '../schema.ts'
import { inRanges, NS_PER_MINUTE } from '../scope/minute-ranges.ts'
import type { KeptHour } from './kept-hour.ts'
import { isSameSealed, sealedIn } from './load-kept-hour.ts'
import { MinuteRows, PARTS } from './minute-rows.ts'
import { loadNumbers } from './numbers-in-memory.ts'

/** A minute of more rows is asked of the database each time. */
const ROWS_MAX = 300_000
const TWO_TO_32 = 4_294_967_296n

/**
 * Reads the rows of a minute within the caller's transaction, and gives them to the kept hour. False where they are too many, or
 * not of the same open files as the sums are: something is being sealed at this moment.
 */
export async function loadMinuteRows(
  session: Session,
  file: HourFile,
  minute: number,
  kept: KeptHour,
  live: LiveSpans,
): Promise<boolean> {
  const { alias, hour } = file
  const { firstNs } = nsRangeOfHour(hour)
  const startNs = firstNs + BigInt(minute) * NS_PER_MINUTE
  const inTime = inRanges('start_ns', [{ startNs, endNs: startNs + NS_PER_MINUTE }])
  const sealed = await sealedIn(session, file)
  const [counted] = await session.rows(`SELECT count(*)::INTEGER AS rows FROM ${alias}.spans WHERE ${inTime}`)
  if (Number(counted?.['rows']) > ROWS_MAX) return false
  const numbers = await loadNumbers(session, file, live)
  if (!numbers) return false
  const times = `(start_ns - ${firstNs})::DOUBLE, (duration_ns % ${TWO_TO_32})::UINTEGER, (duration_ns // ${TWO_TO_32})::UINTEGER`
  const answer = await session.numbers(
    `SELECT ${PARTS.span} AS part, ${times}, service_no, operation_no, origin_no, called_no, dependency_no, callee_no, kind,
       status, role, 1::INTEGER AS n FROM ${alias}.spans WHERE ${inTime}
     UNION ALL SELECT ${PARTS.request}, ${times}, service_no, operation_no, origin_no, 0, 0, 0, kind, status, role, n
       FROM ${alias}.request_corrections WHERE ${inTime}
     UNION ALL SELECT ${PARTS.call}, ${times}, service_no, 0, 0, called_no, dependency_no, callee_no, kind, status,
       CASE WHEN answered THEN ${ANSWERED} ELSE 0 END, n FROM ${alias}.call_corrections WHERE ${inTime}
     ORDER BY 2`,
  )
  const rows = new MinuteRows(answer.rows)
  const { part, intoHourNs, low, high, service, operation, origin, called, dependency, callee } = rows
  const { kind, status, role, n } = rows
  const { name } = numbers
  const columns = [
    part,
    intoHourNs,
    low,
    high,
    service,
    operation,
    origin,
    called,
    dependency,
    callee,
    kind,
    status,
    role,
    n,
  ]
  const translated = new Map<number, (no: number) => number>([
    [4, name],
    [5, name],
    [6, numbers.origin],
    [7, name],
    [8, name],
    [9, name],
  ])
  for (const [i, column] of columns.entries()) {
    const from = answer.column(i)
    const translate = translated.get(i)
    if (!translate) column.set(from.subarray(0, answer.rows))
    else for (let row = 0; row < answer.rows; row++) column[row] = translate(from[row] as number)
  }
  if (!isSameSealed(sealed, kept)) return false
  kept.rows.set(minute, rows)
  live.kept.grown(kept)
  return true
}
