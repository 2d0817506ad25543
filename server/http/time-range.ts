import type { TimeWindow } from '../domain/time-window.ts'
import { parseDatetime, storableWindow } from './datetime.ts'
import { Problem, type ProblemKind } from './problem.ts'

/** A datetime that was given, with the name of its parameter. */
type Given = [name: string, text: string]

export function timeRange(start: Given, end: Given, kind: ProblemKind): TimeWindow {
  const window = { startNs: datetimeOf(start, kind), endNs: datetimeOf(end, kind) }
  if (window.endNs <= window.startNs) throw new Problem(kind, `${end[0]} must be after ${start[0]}.`)
  return storableWindow(window)
}

export function datetimeOf([name, text]: Given, kind: ProblemKind): bigint {
  const ns = parseDatetime(text)
  if (ns === undefined) throw new Problem(kind, `${name} must be an ISO 8601 datetime.`)
  return ns
}
