import { NS_PER_MS, type TimeWindow } from '../domain/time-window.ts'

const NS_PER_MINUTE = 60_000_000_000n

/** The last moment that 64 bits of nanoseconds hold, in the year 2262. */
const NEWEST_NS = 2n ** 63n - 1n

/**
 * A date, a time to the minute or finer, and an offset. A `+` that was not encoded in a query arrives as a space, and
 * can mean nothing else there.
 */
const DATETIME =
  /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?:Z|([+ -])([01]\d|2[0-3])(?::?([0-5]\d))?)?$/

/** Nanoseconds since the epoch; undefined where the text is no datetime or names a moment that does not exist. */
export function parseDatetime(text: string): bigint | undefined {
  const match = DATETIME.exec(text)
  if (!match) return undefined
  const [, year = '', month = '', day = '', hour = '', minute = '', second = '0', fraction = '', sign, ...offset] =
    match
  const dayMs = dayOf(Number(year), Number(month), Number(day))
  if (dayMs === undefined || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return undefined
  const seconds = Number(hour) * 3600 + Number(minute) * 60 + Number(second)
  const localNs = BigInt(dayMs + seconds * 1000) * NS_PER_MS + BigInt(fraction.padEnd(9, '0'))
  const ns = localNs - offsetNs(sign, offset)
  return second === '60' && !endsLeapSecond(ns) ? undefined : ns
}

function dayOf(year: number, month: number, day: number): number | undefined {
  const date = new Date(0)
  // Not Date.UTC, which takes the years 0 to 99 for 1900 to 1999.
  date.setUTCFullYear(year, month - 1, day)
  const exists = date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  return exists ? date.getTime() : undefined
}

function offsetNs(sign: string | undefined, [hours = '0', minutes = '0']: (string | undefined)[]): bigint {
  if (sign === undefined) return 0n
  const ns = (BigInt(hours) * 60n + BigInt(minutes)) * NS_PER_MINUTE
  return sign === '-' ? -ns : ns
}

/** Leap seconds come at the end of a UTC day; on the clock that counts none, they are the first second of the next. */
function endsLeapSecond(ns: bigint): boolean {
  const sinceMidnightNs = ns % (24n * 60n * NS_PER_MINUTE)
  return sinceMidnightNs >= 0n && sinceMidnightNs < 1000n * NS_PER_MS
}

export function isDatetime(text: string): boolean {
  return parseDatetime(text) !== undefined
}

/** A window within what stores can hold. Telemetry has no times beyond it, so nothing is left out. */
export function storableWindow(window: TimeWindow): TimeWindow {
  return { startNs: storable(window.startNs), endNs: storable(window.endNs) }
}

function storable(ns: bigint): bigint {
  if (ns < 0n) return 0n
  return ns > NEWEST_NS ? NEWEST_NS : ns
}
