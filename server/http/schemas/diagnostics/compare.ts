import Type from 'typebox'
import { COMPARED_METRICS } from '../../../diagnostics/window-figures.ts'
import { datetimeIn, datetimeOut, fields } from '../values.ts'

export const compareQuery = {
  currentStart: datetimeIn('The window under comparison: requests that begin at or after it.'),
  currentEnd: datetimeIn('Its end: requests that begin before it.'),
  baselineStart: datetimeIn('The window to compare with: requests that begin at or after it.'),
  baselineEnd: datetimeIn('Its end: requests that begin before it.'),
}

const metrics = {
  avgLatencyMs: Type.Number({ examples: [38.51] }),
  p95LatencyMs: Type.Number({ examples: [120.07] }),
  errorRate: Type.Number({ description: 'Percent of the requests.', examples: [0.42] }),
  throughputRps: Type.Number({ description: 'Requests per second of the window.', examples: [11.8033] }),
  apdex: Type.Number({ description: '0 to 1; 1 where nobody asked anything.', examples: [0.97] }),
}

const windowAnswer = fields({
  rangeStart: datetimeOut(
    'As asked for; widened to a whole minute where it lies before the oldest spans that are still kept.',
  ),
  rangeEnd: datetimeOut(),
  ...metrics,
})

const delta = fields({
  absolute: Type.Number({ description: 'Current minus baseline.', examples: [4.2] }),
  percent: Type.Number({ description: 'Of the baseline; 100 from 0 to anything above it.', examples: [12.24] }),
})

export const windowComparison = fields({
  baseline: windowAnswer,
  current: windowAnswer,
  deltas: fields({
    avgLatencyMs: delta,
    p95LatencyMs: delta,
    errorRate: delta,
    throughputRps: delta,
    apdex: delta,
  }),
  regressions: Type.Array(
    fields({
      serviceName: Type.String({ examples: ['checkout'] }),
      metric: Type.Enum(COMPARED_METRICS),
      baselineValue: Type.Number({ examples: [120.07] }),
      currentValue: Type.Number({ examples: [310.4] }),
      changePercent: Type.Number({ examples: [158.52] }),
    }),
    { description: 'What became significantly worse, the largest change in percent first.' },
  ),
})
