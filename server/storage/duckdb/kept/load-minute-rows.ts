import type { Session } from '../engine/session.ts'
import type { HourFile } from '../files/hour-file.ts'
import { nsRangeOfHour } from '../layout.ts'
import type { LiveSpans } from '../live/live-spans.ts'
import type { Subject } from '../live/open-figures.ts'
import { CALL_KINDS } from '../live/span-kinds.ts'
import { ANSWERED, LOCAL_ROOT, REQUEST } from '../schema.ts'
import { inRanges, NS_PER_MINUTE } from '../scope/minute-ranges.ts'
import type { KeptHour } from './kept-hour.ts'
import { isSameSealed, sealedIn } from './load-kept-hour.ts'
import { MinuteRows, PLACES } from './minute-rows.ts'
import { loadNumbers } from './numbers-in-memory.ts'

/** A minute of more rows is asked of the database each time. */
const ROWS_MAX = 300_000
const TWO_TO_32 = 4_294_967_296n

/** The rows that each subject is about: spans, and what corrects them. */
const ROWS: Record<Subject, { isAbout: string; corrections: string; correctedRole: string }> = {
  requests: {
    isAbout: `role & ${REQUEST | LOCAL_ROOT} <> 0`,
    corrections: 'request_corrections',
    correctedRole: 'role',
  },
  calls: {
    isAbout: `kind IN (${CALL_KINDS.join(', ')})`,
    corrections: 'call_corrections',
    correctedRole: `CASE WHEN answered THEN ${ANSWERED} ELSE 0 END`,
  },
  spans: { isAbout: 'true', corrections: 'request_corrections', correctedRole: 'role' },
}

/**
 * Reads the rows of a minute that a subject is about within the caller's transaction, and gives them to the kept hour. False
 * where they are too many, or not of the same open files as the sums are: something is being sealed at this moment.
 */
export async function loadMinuteRows(
  session: Session,
  file: HourFile,
  { minute, subject }: { minute: number; subject: Subject },
  kept: KeptHour,
  live: LiveSpans,
): Promise<boolean> {
  const { alias, hour } = file
  const { firstNs } = nsRangeOfHour(hour)
  const startNs = firstNs + BigInt(minute) * NS_PER_MINUTE
  const { isAbout, corrections, correctedRole } = ROWS[subject]
  const where = `${inRanges('start_ns', [{ startNs, endNs: startNs + NS_PER_MINUTE }])} AND ${isAbout}`
  if (rowsIn(kept, minute, subject) > ROWS_MAX) return false
  const sealed = await sealedIn(session, file)
  const numbers = await loadNumbers(session, file, live)
  if (!numbers) return false
  const times = `(start_ns - ${firstNs})::DOUBLE, (duration_ns % ${TWO_TO_32})::UINTEGER, (duration_ns // ${TWO_TO_32})::UINTEGER`
  const placeColumns = PLACES[subject].map((place) => `${place}_no`).join(', ')
  const answer = await session.numbers(
    `SELECT ${times}, 1::INTEGER AS n, kind, status, role, ${placeColumns} FROM ${alias}.spans WHERE ${where}
     UNION ALL SELECT ${times}, n, kind, status, ${correctedRole}, ${placeColumns} FROM ${alias}.${corrections} WHERE ${where}
     ORDER BY 1`,
  )
  const rows = new MinuteRows(subject, answer.rows)
  const columns = [rows.intoHourNs, rows.low, rows.high, rows.n]
  for (const [i, column] of columns.entries()) column.set(answer.column(i).subarray(0, answer.rows))
  const [kinds, statuses, roles] = [4, 5, 6].map((i) => answer.column(i)) as [Float64Array, Float64Array, Float64Array]
  const places = PLACES[subject].map((place, i) => ({
    from: answer.column(7 + i),
    translate: place === 'origin' ? numbers.origin : numbers.name,
  }))
  const found: number[] = []
  for (let row = 0; row < answer.rows; row++) {
    for (const [i, { from, translate }] of places.entries()) found[i] = translate(from[row] as number)
    rows.setGroup(row, kinds[row] as number, statuses[row] as number, roles[row] as number, found)
  }
  if (!isSameSealed(sealed, kept)) return false
  kept.rows[subject].set(minute, rows)
  live.kept.grown(kept)
  return true
}

/** As the sums say, whose first column is a count whatever they are of. */
function rowsIn({ requests, calls, origins }: KeptHour, minute: number, subject: Subject): number {
  const table = { requests, calls, spans: origins }[subject]
  let rows = 0
  for (const { sums } of table.eachMinute(minute, minute + 1))
    for (let group = 0; group < sums.size; group++) rows += sums.sum(group, 0)
  return rows
}
