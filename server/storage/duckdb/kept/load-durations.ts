import type { Session } from '../engine/session.ts'
import { minuteOfStart } from '../figures/request-rows.ts'
import type { HourFile } from '../files/hour-file.ts'
import { nsRangeOfHour } from '../layout.ts'
import { groupWord, kindOfWord, REQUEST_COLUMNS, roleOfWord } from '../live/live-hour.ts'
import type { LiveSpans } from '../live/live-spans.ts'
import { LOCAL_ROOT, REQUEST } from '../schema.ts'
import { inRanges, NS_PER_MINUTE } from '../scope/minute-ranges.ts'
import { DurationChanges, PER_MINUTE_MIN } from './kept-durations.ts'
import type { KeptHour } from './kept-hour.ts'
import { isSameSealed, sealedIn } from './load-kept-hour.ts'
import { loadNumbers, type NumbersInMemory } from './numbers-in-memory.ts'

const ROLES = REQUEST | LOCAL_ROOT

/** What is read of an hour: all of some minutes, or some series in all minutes that were not read. */
export interface WantedDurations {
  minutes: number[]
  series: number[] | undefined
}

/**
 * Reads how long requests took, one by one, where they are few in a minute, within the caller's transaction, and gives that to
 * the kept hour. False where something is being sealed at this moment.
 */
export async function loadDurations(
  session: Session,
  file: HourFile,
  { minutes, series: wanted }: WantedDurations,
  kept: KeptHour,
  live: LiveSpans,
): Promise<boolean> {
  const { alias, hour } = file
  const sealed = await sealedIn(session, file)
  const numbers = await loadNumbers(session, file, live)
  if (!numbers) return false
  const keys = 'minute, kind, role, service_no, operation_no'
  const own = `${minuteOfStart(hour)}::UTINYINT AS minute, kind, (role & ${ROLES})::UTINYINT AS role, service_no, operation_no, duration_ns`
  const places = wanted?.flatMap((series) => placeOf(series, kept, numbers) ?? [])
  if (places?.length === 0) return false
  const inTime = inRanges('start_ns', rangesOf(hour, minutes))
  const where = `WHERE role & ${ROLES} <> 0 AND ${inTime} ${places ? `AND ${isNear(places)}` : ''}`
  const few = `SELECT ${keys} FROM ${alias}.minute_requests
    WHERE minute IN (${minutes.join(', ')}) ${places ? `AND (${places.map(isAt).join(' OR ')})` : ''}
    GROUP BY ALL HAVING sum(requests) <= ${PER_MINUTE_MIN}`
  const answer = await session.numbers(
    `SELECT ${keys}, duration_ns::DOUBLE, n::INTEGER FROM (
       SELECT ${own}, 1 AS n FROM ${alias}.spans ${where} UNION ALL SELECT ${own}, n FROM ${alias}.request_corrections ${where})
     SEMI JOIN (${few}) USING (${keys})`,
  )
  if (!kept.durations || !isSameSealed(sealed, kept)) return false
  const all = new DurationChanges()
  addMany(all, kept, minutes, wanted && new Set(wanted))
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
  if (wanted) kept.durations.readOf(wanted, all)
  else kept.durations.read(minutes, all)
  live.kept.grown(kept)
  return true
}

function rangesOf(hour: number, minutes: number[]) {
  const { firstNs } = nsRangeOfHour(hour)
  const [first, last] = [Math.min(...minutes), Math.max(...minutes)].map(BigInt) as [bigint, bigint]
  return [{ startNs: firstNs + first * NS_PER_MINUTE, endNs: firstNs + (last + 1n) * NS_PER_MINUTE }]
}

/** A series by the numbers of the file. */
interface SeriesPlace {
  kind: number
  role: number
  service: number
  operation: number
}

function placeOf(series: number, { requestSeries }: KeptHour, { noOfName }: NumbersInMemory): SeriesPlace | undefined {
  const [word, service, operation] = [0, 1, 2].map((i) => requestSeries.key(series, i)) as [number, number, number]
  const [serviceNo, operationNo] = [noOfName(service), noOfName(operation)]
  if (serviceNo === undefined || operationNo === undefined) return undefined
  return { kind: kindOfWord(word), role: roleOfWord(word), service: serviceNo, operation: operationNo }
}

function isAt({ kind, role, service, operation }: SeriesPlace): string {
  return `(service_no = ${service} AND operation_no = ${operation} AND kind = ${kind} AND role = ${role})`
}

/** What a scan of very many rows leaves out cheaply: all of the series are left, and some others. */
function isNear(places: SeriesPlace[]): string {
  const among = (column: string, numbers: number[]) => `${column} IN (${[...new Set(numbers)].join(', ')})`
  const [services, operations] = [places.map(({ service }) => service), places.map(({ operation }) => operation)]
  return `${among('operation_no', operations)} AND ${among('service_no', services)}`
}

/** Series with more requests in a minute are told as such. */
function addMany(
  all: DurationChanges,
  { requests, requestSeries }: KeptHour,
  minutes: number[],
  wanted: Set<number> | undefined,
): void {
  for (const minute of minutes)
    for (const { sums } of requests.eachMinute(minute, minute + 1))
      for (let group = 0; group < sums.size; group++) {
        if (sums.sum(group, REQUEST_COLUMNS.requests) <= PER_MINUTE_MIN) continue
        const series = requestSeries.of(sums.key(group, 0), sums.key(group, 1), sums.key(group, 2), 0, 0)
        if (wanted?.has(series) ?? true) all.addMany(minute, series)
      }
}
