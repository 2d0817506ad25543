import { expect } from 'vitest'
import type { MetricPoint } from '../../domain/metric-point.ts'
import { metricPointOf, type PointLiteral } from './metric-builder.ts'
import { METRIC_POINTS_OF_EVERY_TYPE } from './metric-values.ts'
import { answersWherever } from './placements.ts'
import { type Backend, describeWithStore } from './subject.ts'
import { BASE_NS, MS_PER_HOUR, WHOLE_WINDOW, windowMs } from './test-time.ts'

const valuesOf = (points: MetricPoint[]): unknown[] => points.map((point) => point.value)

export function describeMetricChoosing(backend: Backend): void {
  describeWithStore('choosing metrics', backend, (subject) => {
    const answers = answersWherever(subject)

    const ascending: PointLiteral[] = ['b', 'a', 'b', 'c', 'é', 'a'].map((name, index) => {
      return { name, value: index, atMs: index * MS_PER_HOUR, attributes: { index } }
    })
    const points = ascending.toReversed()
    answers('names the metrics of a window, sorted', { points }, async (reader) => {
      expect(await reader.metricNames(WHOLE_WINDOW)).toEqual(['a', 'b', 'c', 'é'])
      expect(await reader.metricNames(windowMs(2 * MS_PER_HOUR, 4 * MS_PER_HOUR))).toEqual(['b', 'c'])
      expect(await reader.metricNames(windowMs(2 * MS_PER_HOUR + 1, 3 * MS_PER_HOUR))).toEqual([])
    })

    answers('reads several metrics at once, ascending', { points }, async (reader) => {
      const found = await reader.pointsOf(['b', 'a', 'nothing', 'b'], WHOLE_WINDOW, 10)
      expect(found).toEqual([0, 1, 2, 5].map((index) => metricPointOf(ascending[index] ?? {})))
      expect(await reader.pointsOf(['nothing'], WHOLE_WINDOW, 10)).toEqual([])
      expect(await reader.pointsOf([], WHOLE_WINDOW, 10)).toEqual([])
    })

    answers('keeps the newest points where there are too many', { points }, async (reader) => {
      expect(valuesOf(await reader.pointsOf(['a', 'b'], WHOLE_WINDOW, 3))).toEqual([1, 2, 5])
      expect(valuesOf(await reader.pointsOf(['a', 'b'], windowMs(0, 2 * MS_PER_HOUR + 1), 2))).toEqual([1, 2])
    })

    const edges: PointLiteral[] = [-1n, 0n, 999_999n, 1_000_000n].map((offset, index) => {
      return { value: index, timeNs: BASE_NS + offset }
    })
    answers('takes what lies in the window to the nanosecond', { points: edges }, async (reader) => {
      expect(valuesOf(await reader.pointsOf(['queue.length'], windowMs(0, 1), 10))).toEqual([1, 2])
      expect(await reader.metricNames({ startNs: BASE_NS, endNs: BASE_NS + 1n })).toEqual(['queue.length'])
      expect(await reader.metricNames({ startNs: BASE_NS + 1n, endNs: BASE_NS + 2n })).toEqual([])
    })

    const typed = Object.values(METRIC_POINTS_OF_EVERY_TYPE).map((literal, index) => ({ ...literal, atMs: index }))
    answers('reads points of every type whole', { points: typed }, async (reader) => {
      expect(await reader.pointsOf(['queue.length'], WHOLE_WINDOW, 100)).toEqual(typed.map(metricPointOf))
    })
  })
}
