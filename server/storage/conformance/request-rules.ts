import type { Attributes } from '../../domain/attributes.ts'
import { expectRequests } from './expect-requests.ts'
import { answersWherever } from './placements.ts'
import type { SpanLiteral } from './span-builder.ts'
import { type Backend, describeWithStore } from './subject.ts'
import { MS_PER_HOUR, windowMs } from './test-time.ts'

const DAY_MS = 24 * MS_PER_HOUR

export function describeRequestRules(backend: Backend): void {
  describeWithStore('telling which spans are requests', backend, (subject) => {
    const answers = answersWherever(subject)

    answers('counts no requests where there are no spans', { logs: [{}], points: [{}] }, async (reader) => {
      await expectRequests(reader, {})
    })

    const kinds: SpanLiteral[] = (['SERVER', 'CONSUMER', 'CLIENT', 'PRODUCER', 'INTERNAL'] as const).map(
      (kind, index) => ({ id: `${index + 1}`, kind }),
    )
    answers('counts what was served and consumed', { spans: kinds }, async (reader) => {
      await expectRequests(reader, { shop: 2 })
    })

    const nested: SpanLiteral[] = [
      { id: '1', kind: 'SERVER', service: 'a' },
      { id: '2', parent: '1', kind: 'SERVER', service: 'a' },
      { id: '3', parent: '2', kind: 'CONSUMER', service: 'a' },
      { id: '4', parent: '3', kind: 'SERVER', service: 'b' },
      { id: '5', parent: '4', kind: 'INTERNAL', service: 'b' },
      { id: '6', parent: '5', kind: 'SERVER', service: 'b' },
      { id: '7', parent: '6', kind: 'CLIENT', service: 'b' },
      { id: '8', parent: '7', kind: 'SERVER', service: 'b' },
    ]
    answers('counts a request within one of the same service once', { spans: nested.toReversed() }, async (reader) => {
      await expectRequests(reader, { a: 1, b: 3 })
    })

    const apart: SpanLiteral[] = [
      { trace: '1', id: '1', kind: 'SERVER', atMs: MS_PER_HOUR - 1 },
      { trace: '1', id: '2', parent: '1', kind: 'SERVER', atMs: MS_PER_HOUR },
      { trace: '2', id: '3', parent: '1', kind: 'SERVER', atMs: MS_PER_HOUR },
      { trace: '3', id: '4', parent: 'ff', kind: 'SERVER', atMs: MS_PER_HOUR },
    ]
    answers('knows a parent of another hour, but none of another trace', { spans: apart }, async (reader) => {
      await expectRequests(reader, { shop: 3 })
      await expectRequests(reader, { shop: 2 }, windowMs(MS_PER_HOUR, 2 * MS_PER_HOUR))
      await expectRequests(reader, { shop: 1 }, windowMs(0, MS_PER_HOUR))
    })

    const messaging: Attributes[] = [
      { 'messaging.operation.type': 'receive' },
      { 'messaging.operation': 'receive' },
      { 'messaging.operation.type': 'process' },
      { 'messaging.operation': 'process' },
      { 'messaging.operation.name': 'receive' },
    ]
    const received = messaging.flatMap((attributes, index): SpanLiteral[] => [
      { id: `${index + 1}`, kind: 'CONSUMER', service: 'mail', attributes },
      { id: `a${index}`, kind: 'SERVER', service: 'api', attributes },
    ])
    answers('leaves out receiving a message', { spans: received }, async (reader) => {
      await expectRequests(reader, { mail: 3, api: 5 })
    })

    const onlyReceives: SpanLiteral[] = [
      { id: '1', kind: 'CONSUMER', service: 'mail', attributes: { 'messaging.operation.type': 'receive' } },
      { id: '2', kind: 'INTERNAL', service: 'mail' },
    ]
    answers('lists no service whose spans are no requests', { spans: onlyReceives }, async (reader) => {
      await expectRequests(reader, {})
    })

    const batch: SpanLiteral[] = [
      { trace: '1', id: '1', service: 'batch' },
      { trace: '1', id: '2', parent: '1', service: 'batch', kind: 'CLIENT' },
      { trace: '1', id: '3', parent: '2', service: 'cart', kind: 'INTERNAL' },
      { trace: '1', id: '4', parent: '3', service: 'cart', kind: 'CLIENT' },
      { trace: '1', id: '5', parent: '4', service: 'batch', kind: 'INTERNAL' },
      { trace: '2', id: '6', parent: 'ff', service: 'batch', kind: 'PRODUCER' },
      { trace: '2', id: '7', parent: '1', service: 'batch' },
    ]
    answers('counts the local roots of a service that nobody asks', { spans: batch.toReversed() }, async (reader) => {
      await expectRequests(reader, { batch: 4, cart: 1 })
    })

    const lately: SpanLiteral[] = [
      { id: '1', kind: 'SERVER', service: 'busy', atMs: -DAY_MS },
      { id: '2', kind: 'INTERNAL', service: 'busy', atMs: -1 },
      { id: '3', kind: 'CONSUMER', service: 'idle', atMs: -DAY_MS - 1 },
      { id: '4', kind: 'INTERNAL', service: 'idle', atMs: -1 },
      { id: '5', kind: 'INTERNAL', service: 'young', atMs: -1 },
      { id: '6', kind: 'SERVER', service: 'young', atMs: 0 },
    ]
    answers('judges by the 24 hours before the window ends', { spans: lately }, async (reader) => {
      await expectRequests(reader, { idle: 1, young: 1 }, windowMs(-10, 0))
      await expectRequests(reader, { idle: 1, young: 1, busy: 1 }, windowMs(-10, 1))
      await expectRequests(reader, { young: 1 }, windowMs(0, 1))
    })
  })
}
