import { mergedLatencies } from '../domain/latencies.ts'
import { percentChange } from './percent-change.ts'
import { type Regression, regressions, type WindowServices } from './regressions.ts'
import { sumOfRequests } from './request-figures.ts'
import { rounded } from './rounding.ts'
import { type ComparedMetric, eachMetric, roundedMetric, type WindowFigures, windowFigures } from './window-figures.ts'

export interface WindowComparison {
  baseline: WindowFigures
  current: WindowFigures
  /** Current minus baseline. */
  deltas: Record<ComparedMetric, { absolute: number; percent: number }>
  regressions: Regression[]
}

/** All requests of two windows, which may overlap and be of any length. */
export function compareWindows(baseline: WindowServices, current: WindowServices): WindowComparison {
  const [before, after] = [wholeOf(baseline), wholeOf(current)]
  return {
    baseline: eachMetric((metric) => roundedMetric(metric, before[metric])),
    current: eachMetric((metric) => roundedMetric(metric, after[metric])),
    deltas: eachMetric((metric) => ({
      absolute: roundedMetric(metric, after[metric] - before[metric]),
      percent: rounded(percentChange(before[metric], after[metric])),
    })),
    regressions: regressions(baseline, current),
  }
}

function wholeOf({ window, services }: WindowServices): WindowFigures {
  return windowFigures(window, sumOfRequests(services), mergedLatencies(services.map(({ latencies }) => latencies)))
}
