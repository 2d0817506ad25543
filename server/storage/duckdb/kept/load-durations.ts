import type { Session } from '../engine/session.ts'
import { minuteOfStart } from '../figures/request-rows.ts'
import type { HourFile } from '../files/hour-file.ts'
import { nsRangeOfHour } from '../layout.ts'
import { groupWord, REQUEST_COLUMNS } from '../live/live-hour.ts'
import type { LiveSpans } from '../live/live-spans.ts'
import { LOCAL_ROOT, REQUEST } from '../schema.ts'
import { inRanges, NS_PER_MINUTE } from '../scope/minute-ranges.ts'
import { DurationChanges, PER_MINUTE_MIN } from './kept-durations.ts'
import type { KeptHour } from './kept-hour.ts'
import { isSameSealed, sealedIn } from './load-kept-hour.ts'
import { loadNumbers } from './numbers-in-memory.ts'

const ROLES = REQUEST | LOCAL_ROOT

/**
 * Reads how long the requests of some minutes took, one by one, where they are few, within the caller's transaction, and gives
 * them to the kept hour. False where something is being sealed at this moment.
 */
export async function loadDurations(
  session: Session,
  file: HourFile,
  minutes: number[],
  kept: KeptHour,
  live: LiveSpans,
): Promise<boolean> {
  const { alias, hour } = file
  const sealed = await sealedIn(session, file)
  const numbers = await loadNumbers(session, file, live)
  if (!numbers) return false
  const keys = 'minute, kind, role, service_no, operation_no'
  const own = `${minuteOfStart(hour)}::UTINYINT AS minute, kind, (role & ${ROLES})::UTINYINT AS role, service_no, operation_no, duration_ns`
  const where = `WHERE role & ${ROLES} <> 0 AND ${inRanges('start_ns', rangesOf(hour, minutes))}`
  const few = `SELECT ${keys} FROM ${alias}.minute_requests WHERE minute IN (${minutes.join(', ')})
    GROUP BY ALL HAVING sum(requests) <= ${PER_MINUTE_MIN}`
  const answer = await session.numbers(
    `SELECT ${keys}, duration_ns::DOUBLE, n::INTEGER FROM (
       SELECT ${own}, 1 AS n FROM ${alias}.spans ${where} UNION ALL SELECT ${own}, n FROM ${alias}.request_corrections ${where})
     SEMI JOIN (${few}) USING (${keys})`,
  )
  if (!kept.durations || !isSameSealed(sealed, kept)) return false
  const all = new DurationChanges()
  addMany(all, kept, minutes)
  const [minute, kind, role, service, operation, duration, n] = [0, 1, 2, 3, 4, 5, 6].map((i) => answer.column(i)) as [
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
    Float64Array,
  ]
  for (let row = 0; row < answer.rows; row++) {
    const series = kept.requestSeries.of(
      groupWord(0, kind[row] as number, role[row] as number),
      numbers.name(service[row] as number),
      numbers.name(operation[row] as number),
      0,
      0,
    )
    all.add(minute[row] as number, series, duration[row] as number, n[row] as number)
  }
  kept.durations.read(minutes, all)
  live.kept.grown(kept)
  return true
}

function rangesOf(hour: number, minutes: number[]) {
  const { firstNs } = nsRangeOfHour(hour)
  const [first, last] = [Math.min(...minutes), Math.max(...minutes)].map(BigInt) as [bigint, bigint]
  return [{ startNs: firstNs + first * NS_PER_MINUTE, endNs: firstNs + (last + 1n) * NS_PER_MINUTE }]
}

/** Series with more requests in a minute are told as such. */
function addMany(all: DurationChanges, { requests, requestSeries }: KeptHour, minutes: number[]): void {
  for (const minute of minutes)
    for (const { sums } of requests.eachMinute(minute, minute + 1))
      for (let group = 0; group < sums.size; group++)
        if (sums.sum(group, REQUEST_COLUMNS.requests) > PER_MINUTE_MIN)
          all.addMany(minute, requestSeries.of(sums.key(group, 0), sums.key(group, 1), sums.key(group, 2), 0, 0))
}
