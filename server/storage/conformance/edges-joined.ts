import { expect } from 'vitest'
import { expectEdges } from './expect-edges.ts'
import { answersWherever } from './placements.ts'
import type { SpanLiteral } from './span-builder.ts'
import { type Backend, describeWithStore } from './subject.ts'
import { atNs, BASE_NS, DAY_WINDOW, MS_PER_HOUR, windowMs } from './test-time.ts'

const CALL: SpanLiteral = { id: '1', kind: 'CLIENT' }
const CALLEE: SpanLiteral = { id: '2', parent: '1', service: 'pay', kind: 'SERVER' }

export function describeEdgesJoined(backend: Backend): void {
  describeWithStore('joining callers and callees', backend, (subject) => {
    const answers = answersWherever(subject)

    answers('has no edges where there are no spans', { logs: [{}], points: [{}] }, async (reader) => {
      await expectEdges(reader, [])
    })

    const kinds = (['SERVER', 'CONSUMER', 'CLIENT', 'PRODUCER', 'INTERNAL'] as const).flatMap((kind, index) => {
      const trace = `${index + 1}`
      return [
        { ...CALL, trace, kind },
        { ...CALLEE, trace },
      ]
    })
    answers('takes what is called and what is produced for calls', { spans: kinds }, async (reader) => {
      await expectEdges(reader, ['shop CLIENT pay 1', 'shop PRODUCER pay 1'])
    })

    const calleeKinds = (['SERVER', 'CONSUMER', 'CLIENT', 'PRODUCER', 'INTERNAL'] as const).flatMap((kind, index) => {
      const trace = `${index + 1}`
      return [
        { ...CALL, trace },
        { ...CALLEE, trace, service: `to-${kind}`, kind },
      ]
    })
    answers('takes any span below a call for the callee', { spans: calleeKinds.toReversed() }, async (reader) => {
      const targets = (await reader.edges(DAY_WINDOW)).map((edge) => edge.targetName)
      expect(targets.toSorted()).toEqual(['to-CLIENT', 'to-CONSUMER', 'to-INTERNAL', 'to-PRODUCER', 'to-SERVER'])
    })

    const seen: SpanLiteral[] = [
      { ...CALL, trace: '1', durationMs: 7, status: 'ERROR' },
      { ...CALLEE, trace: '1', durationMs: 900 },
      { ...CALL, trace: '2', durationNs: 9_007_199_254_740_993n },
      { ...CALLEE, trace: '2', status: 'ERROR' },
    ]
    answers('tells time and errors as the caller saw them', { spans: seen }, async (reader) => {
      expect(await reader.edges(DAY_WINDOW)).toEqual([
        {
          sourceName: 'shop',
          targetName: 'pay',
          targetIsService: true,
          kind: 'CLIENT',
          requestCount: 2,
          errorCount: 1,
          durationNsSum: 9_007_199_261_740_993n,
          unansweredErrorCount: 0,
        },
      ])
    })

    const apart: SpanLiteral[] = [
      { ...CALL, trace: '1' },
      { ...CALLEE, trace: '2' },
      { ...CALL, trace: '3' },
      { ...CALLEE, trace: '3', parent: '9' },
      { ...CALL, trace: '4', service: 'pay' },
      { ...CALLEE, trace: '4' },
    ]
    answers('joins nothing across traces, past other spans, or to itself', { spans: apart }, async (reader) => {
      await expectEdges(reader, [])
    })

    const several: SpanLiteral[] = [
      { ...CALL, kind: 'PRODUCER', attributes: { 'peer.service': 'queue', 'db.system': 'redis' } },
      { ...CALLEE, id: '2' },
      { ...CALLEE, id: '3' },
      { ...CALLEE, id: '4', service: 'mail' },
      { ...CALLEE, id: '5', service: 'shop' },
      { trace: '9', service: 'queue' },
    ]
    answers('counts a call once for each service that answers it', { spans: several }, async (reader) => {
      await expectEdges(reader, ['shop PRODUCER pay 1', 'shop PRODUCER mail 1'])
    })

    const failures: SpanLiteral[] = [
      { ...CALL, trace: '1', status: 'ERROR' },
      { ...CALL, trace: '2', status: 'OK' },
      { ...CALL, trace: '3', status: 'ERROR' },
      { ...CALLEE, trace: '3', service: 'shop', status: 'ERROR' },
      { ...CALL, trace: '4', status: 'ERROR' },
      { ...CALLEE, trace: '4', status: 'ERROR' },
      { ...CALL, trace: '5', status: 'ERROR' },
      { ...CALLEE, trace: '6' },
    ]
    const failed = failures.map((span) => ({ ...span, attributes: { 'peer.service': 'pay' } }))
    answers('tells which failed calls nobody answered', { spans: failed }, async (reader) => {
      await expectEdges(reader, ['shop CLIENT pay 5, 4 failed, 2 unanswered'])
    })

    const bounds = [-1n, 0n, 59_999_999_999n, 60_000_000_000n, 60_000_000_001n].flatMap((offset, index) => {
      const trace = `${index + 1}`
      return [
        { ...CALL, trace, startNs: BASE_NS + offset },
        { ...CALLEE, trace, startNs: BASE_NS + offset + 1n },
      ]
    })
    answers('takes what is called in the window, to the nanosecond', { spans: bounds }, async (reader) => {
      const upTo = (from: bigint, to: bigint) => ({ startNs: BASE_NS + from, endNs: BASE_NS + to })
      await expectEdges(reader, ['shop CLIENT pay 3'], upTo(0n, 60_000_000_001n))
      await expectEdges(reader, ['shop CLIENT pay 2'], upTo(1n, 60_000_000_001n))
      await expectEdges(reader, ['shop CLIENT pay 2'], upTo(0n, 60_000_000_000n))
      await expectEdges(reader, ['shop CLIENT pay 4'], upTo(-1n, 60_000_000_001n))
      await expectEdges(reader, ['shop CLIENT pay 1'], windowMs(60_000, 60_000.000001))
      await expectEdges(reader, [], upTo(0n, 0n))
      await expectEdges(reader, [], upTo(60_000_000_000n, 0n))
    })

    answers('has a place for each minute of a window in a series of calls', { spans: bounds }, async (reader) => {
      const [series, ...others] = await reader.edgeSeries({ startNs: BASE_NS + 1n, endNs: atNs(180_000) }, 10)
      expect(others).toEqual([])
      expect(series).toMatchObject({ sourceName: 'shop', targetName: 'pay', targetIsService: true, kind: 'CLIENT' })
      expect(series?.requests).toEqual(Float64Array.of(1, 2, 0))
      expect(series?.unansweredErrors).toEqual(Float64Array.of(0, 0, 0))
    })

    const overHours = [0, 1, 2, 5].flatMap((hour, index): SpanLiteral[] => {
      const trace = `${index + 1}`
      return [
        { ...CALL, trace, atMs: hour * MS_PER_HOUR },
        { ...CALLEE, trace, atMs: hour * MS_PER_HOUR + (index % 2 === 0 ? MS_PER_HOUR : -1) },
      ]
    })
    answers('adds up the hours of a long window', { spans: overHours }, async (reader) => {
      await expectEdges(reader, ['shop CLIENT pay 4'])
      await expectEdges(reader, ['shop CLIENT pay 2'], windowMs(MS_PER_HOUR, 5 * MS_PER_HOUR))
    })

    const later: SpanLiteral[] = [
      { ...CALL, atMs: -1 },
      { ...CALLEE, atMs: 0 },
    ]
    answers('knows services of the 24 hours before the window ends', { spans: later }, async (reader) => {
      await expectEdges(reader, ['shop CLIENT [pay] 1'], windowMs(-10, 0))
      await expectEdges(reader, ['shop CLIENT pay 1'], windowMs(-10, 1))
    })
  })
}
