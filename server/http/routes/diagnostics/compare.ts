import { answerableWindow, oldestRawNs } from '../../../diagnostics/answerable-window.ts'
import { compareWindows } from '../../../diagnostics/window-comparison.ts'
import { isoOfNs, NS_PER_MS, type TimeWindow } from '../../../domain/time-window.ts'
import { READS } from '../../access.ts'
import type { Routes } from '../../endpoint.ts'
import * as schema from '../../schemas/diagnostics/compare.ts'
import { timeRange } from '../../time-range.ts'
import { DIAGNOSTICS } from './moment.ts'

export function registerCompare({ onGrid }: Routes): void {
  onGrid(
    {
      tag: 'Diagnostics',
      access: READS,
      method: 'GET',
      path: `${DIAGNOSTICS}/compare`,
      summary: 'Compare two time windows',
      description:
        "Windows of any length, to the millisecond; they may overlap. A regression is significant: p below 0.01 (Fisher's exact test for error rates, the Mann-Whitney test for latencies and apdex, an exact test of two rates for throughput, corrected after Holm for everything that was compared), by at least 20 % (1 point for error rates), with at least 30 requests in each window.",
      query: schema.compareQuery,
      response: schema.windowComparison,
    },
    async ({ grid, reader, query, nowMs }) => {
      const rawFromNs = oldestRawNs(BigInt(nowMs) * NS_PER_MS, grid)
      const answered = async (asked: TimeWindow) => {
        const window = answerableWindow(asked, rawFromNs)
        return { window, services: await reader.requests({ window, by: ['service'], latencies: true }) }
      }
      const asked = askedWindows(query)
      const [baseline, current] = await Promise.all([answered(asked.baseline), answered(asked.current)])
      const { deltas, regressions, ...figures } = compareWindows(baseline, current)
      return {
        baseline: { ...rangeOf(baseline.window), ...figures.baseline },
        current: { ...rangeOf(current.window), ...figures.current },
        deltas,
        regressions,
      }
    },
  )
}

type CompareQuery = Record<keyof typeof schema.compareQuery, string>

function askedWindows({ currentStart, currentEnd, baselineStart, baselineEnd }: CompareQuery) {
  return {
    current: timeRange(['currentStart', currentStart], ['currentEnd', currentEnd], 'invalid-parameter'),
    baseline: timeRange(['baselineStart', baselineStart], ['baselineEnd', baselineEnd], 'invalid-parameter'),
  }
}

function rangeOf({ startNs, endNs }: TimeWindow) {
  return { rangeStart: isoOfNs(startNs), rangeEnd: isoOfNs(endNs) }
}
