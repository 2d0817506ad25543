import { expect, it } from 'vitest'
import { compare } from './compare.ts'

const figures = { avgLatencyMs: 10, p95LatencyMs: 20, errorRate: 1.5, throughputRps: 0.125, apdex: 0.9 }
const range = { rangeStart: '2026-03-01T10:00:00.000Z', rangeEnd: '2026-03-01T11:00:00.000Z' }
const same = { absolute: 0, percent: 0 }

it('shows what became worse, with units and signs', () => {
  const text = compare.show(
    {
      baseline: { ...range, ...figures },
      current: { ...range, ...figures },
      deltas: { avgLatencyMs: same, p95LatencyMs: same, errorRate: same, throughputRps: same, apdex: same },
      regressions: [
        { serviceName: 'shop', metric: 'errorRate', baselineValue: 0, currentValue: 12, changePercent: 100 },
        { serviceName: 'cart', metric: 'throughputRps', baselineValue: 2, currentValue: 1, changePercent: -50 },
      ],
    },
    { currentStart: '', currentEnd: '', baselineStart: '', baselineEnd: '' },
  )
  expect(text).toMatchInlineSnapshot(`
    "baseline 2026-03-01T10:00:00.000Z to 2026-03-01T11:00:00.000Z
    current  2026-03-01T10:00:00.000Z to 2026-03-01T11:00:00.000Z

    FIGURE           BASELINE  CURRENT  CHANGE
    latency average     10 ms    10 ms     0 %
    latency p95         20 ms    20 ms     0 %
    error rate          1.5 %    1.5 %     0 %
    throughput        0.125/s  0.125/s     0 %
    apdex                 0.9      0.9     0 %

    WORSE  FIGURE      BASELINE  CURRENT  CHANGE
    shop   error rate       0 %     12 %  +100 %
    cart   throughput       2/s      1/s   -50 %"
  `)
})
