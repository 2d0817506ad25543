import type { RequestSeries } from '../../../storage/diagnostics-reader.ts'
import type { TelemetryReader } from '../../../storage/telemetry-store.ts'
import type { Windows } from '../../windows.ts'
import {
  createMinuteAxis,
  type Episode,
  type MinuteAxis,
  minuteOf,
  NS_PER_MINUTE,
  windowOf,
} from '../series/minute-axis.ts'
import { operationSeries } from '../series/minute-series.ts'
import { restlessMinutes } from '../series/restless-minutes.ts'

/** A window up to this long is looked at as it is. */
const WHOLE_MINUTES_MAX = 60
const FOCUSES_MAX = 3
/** The busiest: each has a place for every minute of the window. */
const SERVICES_MAX = 1_000
/** How much of the time before trouble, and of the trouble itself, is looked at closely. */
const BEFORE_MINUTES = 5
const TROUBLE_MINUTES_MAX = 25
/** Trouble that paused for no longer than this is one. */
const PAUSE_MINUTES_MAX = 5

/**
 * Where to look: the window itself, or, of a long one, its last minutes and the stretches in which any service was restless.
 * Each with the hour before it as baseline. Newest first.
 */
export async function focusesOf(reader: TelemetryReader, windows: Windows): Promise<Windows[]> {
  const { baseline, current } = windows
  if (current.endNs - current.startNs <= BigInt(WHOLE_MINUTES_MAX) * NS_PER_MINUTE) return [windows]
  const rows = await reader.requestSeries({ startNs: baseline.startNs, endNs: current.endNs }, 'service', SERVICES_MAX)
  const axis = createMinuteAxis(baseline, current, firstOf(rows, baseline.startNs))
  const newest = { from: axis.length - BEFORE_MINUTES - 10, to: axis.length }
  const trouble = restlessStretches(rows, axis).filter(({ to }) => to > axis.currentFrom && to <= newest.from)
  return [newest, ...trouble.toReversed().slice(0, FOCUSES_MAX)].map((stretch) => windowsOf(axis, stretch))
}

function restlessStretches(rows: RequestSeries[], axis: MinuteAxis): Episode[] {
  const restless = new Set(operationSeries(rows, axis).flatMap((series) => restlessMinutes(series)))
  const stretches: Episode[] = []
  for (const minute of [...restless].toSorted((a, b) => a - b)) {
    const last = stretches.at(-1)
    if (last && minute - last.to <= PAUSE_MINUTES_MAX) last.to = minute + 1
    else stretches.push({ from: minute, to: minute + 1 })
  }
  return stretches
}

function windowsOf(axis: MinuteAxis, { from, to }: Episode): Windows {
  const start = Math.max(0, from - BEFORE_MINUTES)
  const current = windowOf(axis, { from: start, to: Math.min(to + 1, from + TROUBLE_MINUTES_MAX, axis.length) })
  return { current, baseline: { startNs: current.startNs - 60n * NS_PER_MINUTE, endNs: current.startNs } }
}

/** The first minute that has requests. */
function firstOf(rows: RequestSeries[], startNs: bigint): bigint | undefined {
  const firsts = rows.map(({ requests }) => requests.findIndex((count) => count > 0)).filter((place) => place >= 0)
  return firsts.length === 0 ? undefined : minuteOf(startNs) + BigInt(Math.min(...firsts)) * NS_PER_MINUTE
}
