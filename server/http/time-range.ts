import type { TimeWindow } from '../domain/time-window.ts'
import { parseDatetime, storableWindow } from './datetime.ts'
import { Problem, type ProblemKind } from './problem.ts'

/** A window given by two datetimes that passed their schemas. */
export function timeRange(given: Record<string, string>, kind: ProblemKind): TimeWindow {
  const [[startName, start], [endName, end]] = Object.entries(given) as [[string, string], [string, string]]
  const startNs = datetime(startName, start, kind)
  const endNs = datetime(endName, end, kind)
  if (endNs <= startNs) throw new Problem(kind, `${endName} must be after ${startName}.`)
  return storableWindow({ startNs, endNs })
}

export function datetime(name: string, text: string, kind: ProblemKind): bigint {
  const ns = parseDatetime(text)
  if (ns === undefined) throw new Problem(kind, `${name} must be an ISO 8601 datetime.`)
  return ns
}
