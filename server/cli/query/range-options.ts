import { Option } from 'commander'
import { WrongUsage } from '../failure.ts'
import { durationMs } from '../option-parsers.ts'

export interface RangeFlags {
  since?: number
  from?: string
  to?: string
}

const SINCE_MS = 3_600_000

/** `what` is what lies in the range: "spans that begin". */
export function rangeOptions(what: string): Option[] {
  return [
    new Option('--since <duration>', 'the last 90s, 15m, 2h, 7d; by default 1h').argParser(durationMs),
    new Option('--from <datetime>', `instead: ${what} at or after it (ISO 8601)`).conflicts('since'),
    new Option('--to <datetime>', `${what} before it; by default now`).conflicts('since'),
  ]
}

export function rangeOf({ from, to, since = SINCE_MS }: RangeFlags, nowMs: number) {
  if (to !== undefined && from === undefined) throw new WrongUsage('--to needs --from as well.')
  return {
    rangeStart: from ?? new Date(nowMs - since).toISOString(),
    // What begins in this very millisecond is to be found too.
    rangeEnd: to ?? new Date(nowMs + 1).toISOString(),
  }
}
