import type { SpanLink } from '../../domain/span.ts'
import { spanIdOf, traceIdOf } from './column-filling.ts'
import { expectEdges } from './expect-edges.ts'
import { answersWherever } from './placements.ts'
import type { SpanLiteral } from './span-builder.ts'
import { type Backend, describeWithStore } from './subject.ts'
import { MS_PER_HOUR, windowMs } from './test-time.ts'

const SENT: SpanLiteral = { kind: 'PRODUCER', attributes: { 'messaging.system': 'kafka' } }

const linkTo = (trace: string, id: string): SpanLink => ({
  traceId: traceIdOf(trace),
  spanId: spanIdOf(id),
  attributes: { 'messaging.message.id': 'm' },
})

export function describeEdgesLinked(backend: Backend): void {
  describeWithStore('following links of messages', backend, (subject) => {
    const answers = answersWherever(subject)

    const one: SpanLiteral[] = [
      { ...SENT, trace: 'a', id: '1' },
      { trace: 'b', id: '1', service: 'mail', kind: 'CONSUMER', links: [linkTo('a', '1')] },
    ]
    answers('joins a message to its consumer in another trace', { spans: one.toReversed() }, async (reader) => {
      await expectEdges(reader, ['shop PRODUCER mail 1'])
    })

    const batch: SpanLiteral[] = [
      { ...SENT, trace: 'a', id: '1' },
      { ...SENT, trace: 'b', id: '1', service: 'web' },
      { ...SENT, trace: 'c', id: '1' },
      {
        trace: 'd',
        id: '1',
        service: 'mail',
        kind: 'CONSUMER',
        links: [linkTo('a', '1'), linkTo('b', '1'), linkTo('a', '1'), linkTo('ee', '1')],
      },
    ]
    answers('joins every message that was consumed at once', { spans: batch }, async (reader) => {
      await expectEdges(reader, ['shop PRODUCER mail 1', 'web PRODUCER mail 1', 'shop PRODUCER [kafka] 1'])
    })

    const shared: SpanLiteral[] = [
      { ...SENT, trace: 'a', id: '1' },
      { trace: 'a', id: '2', parent: '1', service: 'audit', kind: 'CONSUMER' },
      { trace: 'b', id: '1', service: 'mail', kind: 'CONSUMER', links: [linkTo('a', '1')] },
      { trace: 'c', id: '1', service: 'mail', kind: 'CONSUMER', links: [linkTo('a', '1')] },
      { trace: 'd', id: '1', service: 'pay', kind: 'CONSUMER', links: [linkTo('a', '1')] },
      { trace: 'a', id: '3', parent: '2', service: 'audit', kind: 'CONSUMER', links: [linkTo('a', '1')] },
    ]
    answers('counts a message once for each service that consumed it', { spans: shared }, async (reader) => {
      await expectEdges(reader, ['shop PRODUCER audit 1', 'shop PRODUCER mail 1', 'shop PRODUCER pay 1'])
    })

    const byClient: SpanLiteral[] = [
      { trace: 'a', id: '1', kind: 'CLIENT', status: 'ERROR', attributes: { 'messaging.system': 'sqs' } },
      { trace: 'b', id: '1', service: 'mail', kind: 'CONSUMER', links: [linkTo('a', '1')] },
    ]
    answers('joins a message that was sent by a mere client', { spans: byClient }, async (reader) => {
      await expectEdges(reader, ['shop CLIENT mail 1, 1 failed'])
    })

    const others: SpanLiteral[] = [
      { ...SENT, trace: 'a', id: '1', status: 'ERROR' },
      { trace: 'b', id: '1', service: 'web', kind: 'SERVER', links: [linkTo('a', '1')] },
      { trace: 'b', id: '2', service: 'web', kind: 'INTERNAL', links: [linkTo('a', '1')] },
      { trace: 'b', id: '3', kind: 'CONSUMER', links: [linkTo('a', '1')] },
      { trace: 'b', id: '4', service: 'mail', kind: 'CONSUMER', links: [linkTo('a', '2'), linkTo('b', '1')] },
    ]
    answers('follows no link but from a consumer elsewhere to the call', { spans: others }, async (reader) => {
      await expectEdges(reader, ['shop PRODUCER [kafka] 1, 1 failed, 1 unanswered'])
    })

    const apart: SpanLiteral[] = [
      { ...SENT, trace: 'a', id: '1' },
      { trace: 'b', id: '1', service: 'mail', kind: 'CONSUMER', links: [linkTo('a', '1')], atMs: 30 * MS_PER_HOUR },
      { ...SENT, trace: 'c', id: '1' },
      { trace: 'd', id: '1', service: 'pay', kind: 'CONSUMER', links: [linkTo('c', '1')], atMs: -2 * MS_PER_HOUR },
    ]
    answers('follows a link however far it leads', { spans: apart }, async (reader) => {
      const aMinute = windowMs(0, 60_000)
      await expectEdges(reader, ['shop PRODUCER [mail] 1', 'shop PRODUCER pay 1'], aMinute)
      await expectEdges(reader, [], windowMs(MS_PER_HOUR, 2 * MS_PER_HOUR))
    })
  })
}
