import Type from 'typebox'
import { TRENDS } from '../../../diagnostics/trends.ts'
import { fields } from '../values.ts'

const trend = Type.Enum(TRENDS, { description: '`stable` within 5 % either way, and on under 30 requests.' })
const changePercent = (of: string) =>
  Type.Number({
    description: `Of ${of}: (current - baseline) / baseline * 100; 100 from 0 to anything above it.`,
    examples: [12.5],
  })

const percentiles = fields({
  p50: Type.Number({ description: 'Milliseconds.', examples: [21.4] }),
  p95: Type.Number({ examples: [180.22] }),
  p99: Type.Number({ examples: [412.9] }),
})

export const trends = fields({
  latency: fields({ trend, changePercent: changePercent('p95'), current: percentiles, baseline: percentiles }),
  errorRate: fields({
    trend: Type.Enum(TRENDS, {
      description: '`stable` within 5 % or 0.1 points either way, and on under 30 requests.',
    }),
    changePercent: changePercent('the error rate'),
    current: Type.Number({ description: 'Percent of the requests.', examples: [0.42] }),
    baseline: Type.Number({ examples: [0.4] }),
  }),
  throughput: fields({
    trend,
    changePercent: changePercent('the requests per second'),
    currentRps: Type.Number({ description: 'Requests per second.', examples: [118.0333] }),
    baselineRps: Type.Number({ examples: [120.4125] }),
  }),
})
