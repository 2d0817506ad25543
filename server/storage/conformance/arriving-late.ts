import { expect, it } from 'vitest'
import { answersInAnyOrder } from './arrival-orders.ts'
import { spanIdOf, traceIdOf } from './column-filling.ts'
import { expectEdges } from './expect-edges.ts'
import { expectRequests, requestsByService } from './expect-requests.ts'
import type { SpanLiteral } from './span-builder.ts'
import { type Backend, describeWithStore } from './subject.ts'
import { DAY_WINDOW, MS_PER_HOUR, windowMs } from './test-time.ts'

const PREVIOUS_HOUR = { atMs: MS_PER_HOUR - 1 }
const NEXT_HOUR = { atMs: MS_PER_HOUR }
const SECOND_HOUR = windowMs(MS_PER_HOUR, 2 * MS_PER_HOUR)

/** Each span in a batch of its own. */
const oneByOne = (...spans: SpanLiteral[]) => spans.map((span) => ({ spans: [span] }))

export function describeArrivingLate(backend: Backend): void {
  describeWithStore('joining spans that arrive apart', backend, (subject) => {
    const answers = answersInAnyOrder(subject)

    const outer: SpanLiteral = { id: '1', kind: 'SERVER', ...PREVIOUS_HOUR }
    const inner: SpanLiteral = { id: '2', parent: '1', kind: 'SERVER', ...NEXT_HOUR }
    answers('counts an entry under one of the previous hour once', oneByOne(outer, inner), async (reader) => {
      await expectRequests(reader, { shop: 1 })
      await expectRequests(reader, {}, SECOND_HOUR)
    })

    const stages: SpanLiteral[] = [
      { id: '1', kind: 'SERVER' },
      { id: '2', parent: '1', kind: 'INTERNAL' },
      { id: '3', parent: '2', kind: 'CONSUMER' },
    ]
    answers('counts an entry under what is none of its own', oneByOne(...stages), async (reader) => {
      await expectRequests(reader, { shop: 2 })
    })

    const locals: SpanLiteral[] = [
      { id: '1', service: 'batch', ...PREVIOUS_HOUR },
      { id: '2', parent: '1', service: 'batch', ...NEXT_HOUR },
      { id: '3', parent: '2', service: 'other', ...NEXT_HOUR },
    ]
    answers('knows local roots by parents of another hour', oneByOne(...locals), async (reader) => {
      await expectRequests(reader, { batch: 1, other: 1 })
      await expectRequests(reader, { other: 1 }, SECOND_HOUR)
    })

    const firstEntry: SpanLiteral[] = [
      { trace: '1', id: '1', service: 'batch', ...NEXT_HOUR },
      { trace: '2', id: '2', service: 'batch', kind: 'CONSUMER', atMs: -5 * MS_PER_HOUR },
    ]
    answers('takes a service for one that is asked, whenever that shows', oneByOne(...firstEntry), async (reader) => {
      await expectRequests(reader, { batch: 1 })
      await expectRequests(reader, {}, SECOND_HOUR)
    })

    const call: SpanLiteral = { id: '1', kind: 'CLIENT', status: 'ERROR', durationMs: 7, ...PREVIOUS_HOUR }
    const named = { ...call, attributes: { 'server.address': 'db-1', 'db.system': 'redis' } }
    const callee: SpanLiteral = { id: '2', parent: '1', service: 'pay', kind: 'SERVER', ...NEXT_HOUR }
    const second: SpanLiteral = { id: '3', parent: '1', service: 'mail', kind: 'INTERNAL', ...PREVIOUS_HOUR }
    answers('joins a call to all of its callees', oneByOne(named, callee, second), async (reader) => {
      await expectEdges(reader, ['shop CLIENT pay 1, 1 failed', 'shop CLIENT mail 1, 1 failed'])
      await expectEdges(reader, [], SECOND_HOUR)
    })

    const local: SpanLiteral = { id: '9', parent: '1', ...NEXT_HOUR }
    answers('takes a call with anything below it for answered', oneByOne(named, local), async (reader) => {
      await expectEdges(reader, ['shop CLIENT [redis] 1, 1 failed'])
    })

    const toKnown = { ...call, attributes: { 'peer.service': 'pay', 'db.system': 'redis' } }
    const elsewhere: SpanLiteral = { trace: '2', id: '2', service: 'pay', atMs: -3 * MS_PER_HOUR }
    answers('knows a service by name, whenever it shows itself', oneByOne(toKnown, elsewhere), async (reader) => {
      await expectEdges(reader, ['shop CLIENT pay 1, 1 failed, 1 unanswered'])
    })

    const producer: SpanLiteral = { trace: '1', id: '1', kind: 'PRODUCER', attributes: { 'messaging.system': 'kafka' } }
    const links = [{ traceId: traceIdOf('1'), spanId: spanIdOf('1'), attributes: {} }]
    const consumers: SpanLiteral[] = ['pay', 'mail'].map((service, index) => {
      return { trace: `${index + 2}`, id: '5', service, kind: 'CONSUMER', links, atMs: index * 5 * MS_PER_HOUR }
    })
    answers('joins a message to all of its consumers by link', oneByOne(producer, ...consumers), async (reader) => {
      await expectEdges(reader, ['shop PRODUCER pay 1', 'shop PRODUCER mail 1'])
    })
  })

  describeWithStore('joining spans to such as were counted already', backend, (subject) => {
    it('corrects minutes that were asked about before', async () => {
      const gridId = subject.newGrid()
      const arriving: SpanLiteral[][] = [
        [{ trace: '1', id: '2', parent: '1', kind: 'CLIENT', durationMs: 1, attributes: { 'rpc.service': 'Pay' } }],
        [{ trace: '1', id: '1', kind: 'SERVER', durationMs: 2 }],
        [{ trace: '1', id: '3', parent: '2', service: 'pay', kind: 'SERVER', durationMs: 4 }],
        [{ trace: '2', id: '4', kind: 'SERVER', status: 'ERROR', durationMs: 8 }],
      ]
      const edges = ['shop CLIENT [Pay] 1', 'shop CLIENT [Pay] 1', 'shop CLIENT pay 1', 'shop CLIENT pay 1']
      // The call has no parent in the store at first and is a local root; then its service turns out to be asked.
      const sums = [{ shop: 1n }, { shop: 2n }, { shop: 2n, pay: 4n }, { shop: 10n, pay: 4n }]
      for (const [step, spans] of arriving.entries()) {
        await subject.write(gridId, { spans })
        for (const settled of [false, true]) {
          if (settled) await subject.settle()
          const groups = await requestsByService(subject.reader(gridId))
          const found = groups.map((group) => [group.serviceName, group.durationNsSum / 1_000_000n])
          expect(Object.fromEntries(found)).toEqual(sums[step])
          await expectEdges(subject.reader(gridId), edges.slice(step, step + 1))
        }
      }
      await subject.reopen()
      await expectRequests(subject.reader(gridId), { shop: 2, pay: 1 }, DAY_WINDOW)
      await expectEdges(subject.reader(gridId), ['shop CLIENT pay 1'])
    })
  })
}
