import { expect } from 'vitest'
import type { MetricPoint } from '../../domain/metric-point.ts'
import { metricPointOf, type PointLiteral } from './metric-builder.ts'
import { METRIC_POINTS_OF_EVERY_TYPE } from './metric-values.ts'
import { answersWherever } from './placements.ts'
import { type Backend, describeWithStore } from './subject.ts'
import { BASE_NS, MS_PER_HOUR, WHOLE_WINDOW, windowMs } from './test-time.ts'

const NAME = 'queue.length'

const valuesOf = (points: MetricPoint[]): unknown[] => points.map((point) => point.value)

export function describeMetricReading(backend: Backend): void {
  describeWithStore('reading metric points', backend, (subject) => {
    const answers = answersWherever(subject)

    answers('has no points of an unknown metric', { points: [{ name: 'other' }] }, async (reader) => {
      expect(await reader.metricPoints(NAME, WHOLE_WINDOW, 10)).toEqual([])
    })

    const typed = Object.entries(METRIC_POINTS_OF_EVERY_TYPE).map(([title, literal]) => ({ ...literal, name: title }))
    for (const literal of typed) {
      answers(`gives back every field of ${literal.name}`, { points: typed }, async (reader) => {
        expect(await reader.metricPoints(literal.name, WHOLE_WINDOW, 10)).toEqual([metricPointOf(literal)])
      })
    }

    const mixed = Object.values(METRIC_POINTS_OF_EVERY_TYPE).map((literal, index) => ({ ...literal, atMs: index }))
    answers('keeps points of every type apart under one name', { points: mixed }, async (reader) => {
      expect(await reader.metricPoints(NAME, WHOLE_WINDOW, 100)).toEqual(mixed.map(metricPointOf))
    })

    const edges: PointLiteral[] = [-1n, 0n, 999_999n, 1_000_000n].map((offset, index) => {
      return { value: index, timeNs: BASE_NS + offset, startNs: BASE_NS }
    })
    answers('takes what lies in the window to the nanosecond', { points: edges }, async (reader) => {
      expect(valuesOf(await reader.metricPoints(NAME, windowMs(0, 1), 10))).toEqual([1, 2])
      expect(valuesOf(await reader.metricPoints(NAME, windowMs(0, 1), 1))).toEqual([1])
      expect(await reader.metricPoints(NAME, windowMs(1, 1), 10)).toEqual([])
    })

    const hours: PointLiteral[] = [2, 0, 3, 1].map((hour) => ({ atMs: hour * MS_PER_HOUR, value: hour }))
    answers('joins the hours of a long window, ascending', { points: hours }, async (reader) => {
      expect(valuesOf(await reader.metricPoints(NAME, WHOLE_WINDOW, 10))).toEqual([0, 1, 2, 3])
      expect(valuesOf(await reader.metricPoints(NAME, WHOLE_WINDOW, 3))).toEqual([0, 1, 2])
      expect(valuesOf(await reader.metricPoints(NAME, windowMs(MS_PER_HOUR, 3 * MS_PER_HOUR), 10))).toEqual([1, 2])
    })

    const series: PointLiteral[] = [
      { value: 1 },
      { value: 2, attributes: { queue: 'a' } },
      { value: 3, attributes: { queue: 'b' } },
      { value: 4, attributes: { queue: 1 } },
      { value: 5, attributes: { queue: '1' } },
      { value: 6, service: 'cart' },
      { value: 7, resource: { 'host.name': 'web-1' } },
      { value: 8, scopeName: 'meter' },
      { value: 9, scopeName: 'meter', scopeVersion: '2' },
      { value: 10, type: 'sum' },
      { value: 11, atMs: 1 },
      { value: 12, name: `${NAME}.max` },
    ]
    answers('keeps the series of a metric apart', { points: series }, async (reader) => {
      const values = valuesOf(await reader.metricPoints(NAME, WHOLE_WINDOW, 100)) as number[]
      expect(values.toSorted((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
      expect(values.at(-1)).toBe(11)
    })

    const many = Array.from({ length: 5000 }, (_, index): PointLiteral => {
      return { atMs: (index * 7919) % 5000, value: index, name: index % 2 === 0 ? NAME : 'other' }
    })
    answers('keeps the rows of a large batch apart', { points: many }, async (reader) => {
      const own = many.map(metricPointOf).filter((point) => point.name === NAME)
      const sorted = own.toSorted((a, b) => Number(a.timeNs - b.timeNs))
      expect(await reader.metricPoints(NAME, WHOLE_WINDOW, 5000)).toEqual(sorted)
    })
  })
}
