import type { TimeWindow } from '../../../domain/time-window.ts'
import type { DiagnosticsReader } from '../../../storage/diagnostics-reader.ts'
import type { Overview } from '../facts.ts'
import { brokenHabits } from '../habits/broken-habits.ts'
import type { BrokenHabit } from '../habits/habit.ts'
import { operationShapes } from '../habits/operation-shapes.ts'
import { statementsOf } from '../habits/statements.ts'
import { type MinuteAxis, windowOf } from '../series/minute-axis.ts'
import { type SlowWay, slowWays } from '../ways/slow-ways.ts'

/** At most about so many spans are looked at, however many there are: of whole traces, drawn by lot. */
const SPANS_MAX = 150_000
const LOGS_MAX = 30_000
const DRAWN_LIMITS = { shapesMax: 5000, gapsPerMinute: 20 }
/** How much of the time before the window is looked at: enough to know what is usual. */
const BEFORE_MINUTES = 20

/** What is looked at of the spans and log records of a window. */
export interface Lot {
  window: TimeWindow
  /** One trace in so many is drawn. */
  oneIn: number
  logCount: number
  logsOneIn: number
}

/** Draws by how much there is. */
export async function drawLot(reader: DiagnosticsReader, { axis, logs }: Overview, share: number): Promise<Lot> {
  const window = windowOf(axis, { from: firstMinuteOf(axis), to: axis.length })
  const counts = await reader.serviceSpans(window)
  const spanCount = counts.reduce((sum, each) => sum + each.spanCount, 0)
  const oneIn = oneTraceIn(spanCount, SPANS_MAX * share)
  const logCount = logs
    .filter(({ minuteNs }) => minuteNs >= window.startNs)
    .reduce((sum, { recordCount }) => sum + recordCount, 0)
  return { window, oneIn, logCount, logsOneIn: Math.max(oneIn, oneTraceIn(logCount, LOGS_MAX)) }
}

function firstMinuteOf({ currentFrom }: MinuteAxis): number {
  return Math.max(0, currentFrom - BEFORE_MINUTES)
}

/** What services did as a matter of course, in traces and logs, and do no longer; and where calls lose time on the way. */
export async function gatherBehaviour(
  reader: DiagnosticsReader,
  { axis, services }: Overview,
  { window, oneIn, logCount, logsOneIn }: Lot,
): Promise<{ habits: BrokenHabit[]; ways: SlowWay[] }> {
  const from = firstMinuteOf(axis)
  // What takes longest is asked first.
  const [logs, drawn, logged] = await Promise.all([
    logCount === 0 ? [] : reader.sampleLogs(window, logsOneIn, 2 * LOGS_MAX),
    reader.drawnTraces(window, oneIn, DRAWN_LIMITS),
    logCount === 0 || logsOneIn === oneIn ? undefined : reader.drawnTraces(window, logsOneIn, DRAWN_LIMITS),
  ])
  const operations = operationShapes(drawn, axis)
  // What is logged is compared with the spans of the very traces that the records are from.
  const loggedIn = logged ? operationShapes(logged, axis) : operations
  const statements = statementsOf(logs, axis)
  const heard = new Set(logs.map(({ traceId }) => traceId))
  const isHeard = (traceId: string) => logsOneIn === 1 || heard.has(traceId)
  // Of the time before, no records were read: that none is known says nothing about it.
  const lately = services.map((series) => ({
    ...series,
    requests: series.requests.map((count, minute) => (minute < from ? 0 : count)),
  }))
  const habits = brokenHabits({ operations, loggedIn, statements, services: lately, isHeard }, axis)
  return { habits, ways: slowWays(drawn, axis) }
}

/** A power of two, so that at most about so many are drawn: what is drawn of fewer is among what is drawn of more. */
function oneTraceIn(count: number, max: number): number {
  return 2 ** Math.max(0, Math.ceil(Math.log2(count / max)))
}
