import { expect } from 'vitest'
import {
  bucketOf,
  countOf,
  EXACT_REQUESTS_MAX,
  type Latencies,
  NO_LATENCIES,
  percentileMs,
} from '../../domain/latencies.ts'
import type { RequestKey } from '../diagnostics-reader.ts'
import type { TelemetryReader } from '../telemetry-store.ts'
import { answersWherever } from './placements.ts'
import { SeededRandom } from './seeded-random.ts'
import type { SpanLiteral } from './span-builder.ts'
import { type Backend, describeWithStore } from './subject.ts'
import { DAY_WINDOW, MS_PER_HOUR } from './test-time.ts'

/** From microseconds to minutes, most of them short, over two hours; each fifth fails. */
function manyRequests(count: number): SpanLiteral[] {
  const random = new SeededRandom(count)
  return Array.from({ length: count }, (_, index) => ({
    id: (index + 1).toString(16),
    kind: 'SERVER',
    atMs: random.below(2 * MS_PER_HOUR),
    durationNs: BigInt(Math.round(10 ** (3 + 8 * random.fraction() * random.fraction()))),
    status: index % 5 === 0 ? 'ERROR' : 'UNSET',
  }))
}

async function latenciesOf(reader: TelemetryReader, by: RequestKey[] = []): Promise<Latencies[]> {
  const groups = await reader.requests({ window: DAY_WINDOW, by, latencies: true })
  for (const { latencies, requestCount } of groups) expect(countOf(latencies)).toBe(requestCount)
  return groups.map((group) => group.latencies)
}

const durationsOf = (spans: SpanLiteral[]): number[] =>
  spans.map((span) => Number(span.durationNs)).toSorted((a, b) => a - b)

export function describeRequestLatencies(backend: Backend): void {
  describeWithStore('telling how long requests took', backend, (subject) => {
    const answers = answersWherever(subject)

    const few: SpanLiteral[] = [30n, 0n, 1n, 2_000_000_000n, 30n].map((durationNs, index) => {
      return { id: `${index + 1}`, kind: 'SERVER', durationNs, service: index === 2 ? 'pay' : 'shop' }
    })
    answers('tells a few one by one, ascending', { spans: few }, async (reader) => {
      const exactly = (...exactNs: number[]): Latencies => ({ exactNs, buckets: [], counts: [] })
      expect(await latenciesOf(reader)).toEqual([exactly(0, 1, 30, 30, 2_000_000_000)])
      expect(await latenciesOf(reader, ['service'])).toEqual(
        expect.arrayContaining([exactly(0, 30, 30, 2_000_000_000), exactly(1)]),
      )
    })

    answers('tells none where they were not asked for', { spans: few }, async (reader) => {
      const [all] = await reader.requests({ window: DAY_WINDOW, by: [], latencies: false })
      expect(all?.requestCount).toBe(5)
      expect(all?.latencies).toEqual(NO_LATENCIES)
    })

    const nearlyMany = manyRequests(EXACT_REQUESTS_MAX)
    answers('tells 999 one by one', { spans: nearlyMany }, async (reader) => {
      expect((await latenciesOf(reader))[0]?.exactNs).toEqual(durationsOf(nearlyMany))
    })

    const many = manyRequests(2500)
    answers('tells 2,500 in ascending buckets', { spans: many }, async (reader) => {
      const [all] = await latenciesOf(reader, ['service'])
      const counts = new Map<number, number>()
      for (const durationNs of durationsOf(many)) {
        counts.set(bucketOf(durationNs), (counts.get(bucketOf(durationNs)) ?? 0) + 1)
      }
      expect(all?.exactNs).toBeUndefined()
      expect(all?.buckets).toEqual([...counts.keys()].toSorted((a, b) => a - b))
      expect(all?.counts).toEqual(all?.buckets.map((bucket) => counts.get(bucket)))
    })

    answers('is within 1 % of any percentile of 2,500', { spans: many }, async (reader) => {
      const [all = NO_LATENCIES] = await latenciesOf(reader)
      const exactNs = durationsOf(many)
      for (const percent of [0.04, 1, 50, 90, 95, 99, 99.9, 100]) {
        const exactMs = (exactNs[Math.ceil((many.length * percent) / 100) - 1] ?? 0) / 1e6
        expect(Math.abs(percentileMs(all, percent) - exactMs), `p${percent}`).toBeLessThanOrEqual(exactMs / 100)
      }
    })

    const border = manyRequests(EXACT_REQUESTS_MAX + 1).map((span, index) => ({
      ...span,
      operation: `op ${index % 2}`,
    }))
    answers('judges by the size of each group', { spans: border }, async (reader) => {
      expect((await latenciesOf(reader))[0]?.exactNs).toBeUndefined()
      const byOperation = await latenciesOf(reader, ['operation'])
      expect(byOperation.flatMap(({ exactNs = [] }) => exactNs).toSorted((a, b) => a - b)).toEqual(durationsOf(border))
      expect((await latenciesOf(reader, ['minute'])).every(({ exactNs }) => exactNs === undefined)).toBe(true)
    })

    const equal = Array.from({ length: 1200 }, (_, index): SpanLiteral => {
      return { id: (index + 1).toString(16), kind: 'SERVER', durationNs: index === 0 ? 0n : 1n }
    })
    answers('counts no time as the shortest there is', { spans: equal }, async (reader) => {
      expect(await latenciesOf(reader)).toEqual([{ exactNs: undefined, buckets: [0], counts: [1200] }])
    })
  })
}
