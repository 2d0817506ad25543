import { answerableWindow, oldestRawNs, type RecordsKept } from '../../../diagnostics/answerable-window.ts'
import type { Windows } from '../../../diagnostics/windows.ts'
import { windowsAt } from '../../../diagnostics/windows.ts'
import { NS_PER_MS, type TimeWindow } from '../../../domain/time-window.ts'
import { storableWindow } from '../../datetime.ts'
import { Problem } from '../../problem.ts'
import { datetimeOf } from '../../time-range.ts'

export const DIAGNOSTICS = '/apm/diagnostics/{gridSecondaryId}'

interface MomentQuery {
  at?: string | undefined
  window?: number | undefined
}

interface Moment extends Windows {
  atNs: bigint
}

/**
 * The moment that a question is about, and its windows, cut to what can be stored; with a Grid, also widened where only sums
 * by the minute are kept.
 */
export function momentOf({ at, window }: MomentQuery, nowMs: number, grid?: RecordsKept): Moment {
  const nowNs = BigInt(nowMs) * NS_PER_MS
  const atNs = at === undefined ? nowNs : datetimeOf(['at', at], 'invalid-parameter')
  if (atNs > nowNs) throw new Problem('invalid-parameter', 'at must not be in the future.')
  const { current, baseline } = windowsAt(atNs, window)
  const oldestNs = grid ? oldestRawNs(nowNs, grid) : 0n
  const fitted = (each: TimeWindow) => answerableWindow(storableWindow(each), oldestNs)
  return { atNs, current: fitted(current), baseline: fitted(baseline) }
}
