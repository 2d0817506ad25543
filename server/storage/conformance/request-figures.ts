import { expect } from 'vitest'
import { NO_LATENCIES } from '../../domain/latencies.ts'
import { spanIdOf } from './column-filling.ts'
import { expectRequests, requestsByService } from './expect-requests.ts'
import { answersWherever } from './placements.ts'
import type { SpanLiteral } from './span-builder.ts'
import { type Backend, describeWithStore } from './subject.ts'
import { BASE_NS, MS_PER_HOUR } from './test-time.ts'

/** What a question about services alone leaves untold. */
const BY_SERVICE = {
  operationName: '',
  kind: 'INTERNAL',
  minuteNs: 0n,
  latencies: NO_LATENCIES,
}

export function describeRequestFigures(backend: Backend): void {
  describeWithStore('summing up the requests of a service', backend, (subject) => {
    const answers = answersWherever(subject)

    const edges = [-1n, 0n, 999n, 1000n].map((offset, index): SpanLiteral => {
      return { id: `${index + 1}`, kind: 'SERVER', startNs: BASE_NS + offset }
    })
    answers('takes what starts in the window, to the nanosecond', { spans: edges }, async (reader) => {
      await expectRequests(reader, { shop: 2 }, { startNs: BASE_NS, endNs: BASE_NS + 1000n })
      await expectRequests(reader, {}, { startNs: BASE_NS, endNs: BASE_NS })
      await expectRequests(reader, {}, { startNs: BASE_NS + 2000n, endNs: BASE_NS + 3000n })
    })

    const durationsNs = [0n, 500_000_000n, 500_000_001n, 2_000_000_000n, 2_000_000_001n]
    const judged = durationsNs.flatMap((durationNs, index): SpanLiteral[] => [
      { trace: '1', id: `${index + 1}`, kind: 'SERVER', service: 'web', durationNs },
      { trace: '2', id: `${index + 1}`, kind: 'SERVER', service: 'web', durationNs, status: 'ERROR' },
      { trace: '3', id: `${index + 1}`, kind: 'SERVER', service: 'report', durationNs, status: 'OK' },
    ])
    const apdex = { defaultMs: 500, byService: { report: 2000 } }
    answers('sums durations, errors and patience', { spans: judged, apdex }, async (reader) => {
      expect(await requestsByService(reader)).toEqual([
        {
          ...BY_SERVICE,
          serviceName: 'report',
          requestCount: 5,
          errorCount: 0,
          durationNsSum: 5_000_000_002n,
          satisfiedCount: 4,
          toleratingCount: 1,
        },
        {
          ...BY_SERVICE,
          serviceName: 'web',
          requestCount: 10,
          errorCount: 5,
          durationNsSum: 10_000_000_004n,
          satisfiedCount: 2,
          toleratingCount: 2,
        },
      ])
    })

    const long = Array.from({ length: 500 }, (_, index): SpanLiteral => {
      return { id: (index + 1).toString(16), kind: 'SERVER', durationNs: 9_007_199_254_740_993n, atMs: index * 10_000 }
    })
    answers('sums durations beyond 2^53 over several hours', { spans: long }, async (reader) => {
      const [web] = await requestsByService(reader)
      expect(web?.requestCount).toBe(500)
      expect(web?.durationNsSum).toBe(500n * 9_007_199_254_740_993n)
    })

    const resent: SpanLiteral = { id: '1', kind: 'SERVER', durationMs: 7 }
    answers('counts a span once, however often it was sent', { spans: [resent, resent, resent] }, async (reader) => {
      const [web] = await requestsByService(reader)
      expect(web?.requestCount).toBe(1)
      expect(web?.durationNsSum).toBe(7_000_000n)
    })

    const threeHours = [0, 1, 2].flatMap((hour): SpanLiteral[] =>
      ['web', 'cart'].map((service, index) => {
        return { id: `${hour}${index + 1}`, kind: 'SERVER', service, atMs: hour * MS_PER_HOUR }
      }),
    )
    answers('adds up the hours of a long window', { spans: threeHours }, async (reader) => {
      await expectRequests(reader, { web: 3, cart: 3 })
      expect((await reader.span(spanIdOf('21')))?.serviceName).toBe('web')
    })
  })
}
