import type { Attributes } from '../../domain/attributes.ts'
import { expectEdges } from './expect-edges.ts'
import { answersWherever } from './placements.ts'
import type { SpanLiteral } from './span-builder.ts'
import { type Backend, describeWithStore } from './subject.ts'
import { MS_PER_HOUR, windowMs } from './test-time.ts'

const DAY_MS = 24 * MS_PER_HOUR

/** Makes `pay` a service that is known. */
const PAY: SpanLiteral = { trace: 'ff', id: 'ff', service: 'pay' }

/** One call of the shop for each, in a trace of its own, that nobody answers. */
function callsWith(attributes: Attributes[]): SpanLiteral[] {
  return attributes.map((own, index) => ({ trace: (index + 1).toString(16), kind: 'CLIENT', attributes: own }))
}

export function describeEdgesNamed(backend: Backend): void {
  describeWithStore('naming what a call without a callee goes to', backend, (subject) => {
    const answers = answersWherever(subject)

    const toPay = callsWith([
      { 'peer.service': 'pay' },
      { 'server.address': 'pay' },
      { 'peer.service': 'pay', 'server.address': '10.0.0.1', 'db.system': 'redis' },
      { 'peer.service': 'stranger', 'server.address': 'pay' },
      { 'rpc.service': 'pay' },
      { 'http.url': 'http://pay:8080/x' },
    ])
    answers('names a service that is known', { spans: [...toPay, PAY] }, async (reader) => {
      await expectEdges(reader, ['shop CLIENT pay 6'])
    })
    answers('names the same without knowing it', { spans: toPay }, async (reader) => {
      await expectEdges(reader, ['shop CLIENT [pay] 5', 'shop CLIENT [redis] 1'])
    })

    const outside = callsWith([
      { 'db.system.name': 'postgresql', 'db.namespace': 'orders', 'peer.service': 'Pay', 'server.address': 'db-1' },
      { 'db.system': 'mysql', 'db.name': 'orders' },
      { 'db.system': 'redis', 'db.namespace': '' },
      { 'db.system': '', 'messaging.system': 'kafka', 'messaging.destination.name': 'orders' },
      { 'messaging.system': 'rabbitmq', 'messaging.destination': 'old', 'rpc.service': 'x' },
      { 'messaging.system': 'sqs' },
      { 'rpc.service': 'shop.Cart', 'server.address': 'host' },
      { 'server.address': 'api.example', 'net.peer.name': 'x' },
      { 'net.peer.name': 'old.example', 'url.full': 'http://x/' },
      { 'url.full': 'https://full.example:8443/a?b=c#d', 'http.url': 'http://x/' },
      { 'http.url': 'http://url.example/a' },
      { 'peer.service': 'peer', 'url.full': 'nonsense' },
      { 'db.system': '键', 'db.namespace': '🙂' },
    ])
    answers('names what is outside', { spans: [...outside, PAY] }, async (reader) => {
      const names = ['postgresql/orders', 'mysql/orders', 'redis', 'kafka/orders', 'rabbitmq/old', 'sqs', 'shop.Cart']
      const hosts = ['api.example', 'old.example', 'full.example', 'url.example', 'peer', '键/🙂']
      await expectEdges(
        reader,
        [...names, ...hosts].map((name) => `shop CLIENT [${name}] 1`),
      )
    })

    const nowhere = callsWith([
      {},
      { 'peer.service': '' },
      { 'peer.service': ['pay'] },
      { 'server.address': 5 },
      { 'url.full': '/path' },
      { 'db.namespace': 'orders', 'messaging.destination.name': 'orders', 'http.request.method': 'GET' },
      { 'peer.service': 'shop', 'db.system': 'redis' },
      { 'rpc.service': 'shop' },
    ])
    answers('has no edge to nobody, nor to itself', { spans: [...nowhere, PAY] }, async (reader) => {
      await expectEdges(reader, [])
    })

    const failed = callsWith([{ 'db.system': 'redis' }, { 'peer.service': 'pay' }, { 'peer.service': 'gone' }])
    const failures: SpanLiteral[] = [
      ...failed.map((span): SpanLiteral => ({ ...span, status: 'ERROR', durationMs: 3 })),
      ...failed.map((span): SpanLiteral => ({ ...span, trace: `a${span.trace}`, kind: 'PRODUCER' })),
      PAY,
    ]
    answers('tells kinds apart, and failed calls by their target', { spans: failures }, async (reader) => {
      await expectEdges(reader, [
        'shop CLIENT [redis] 1, 1 failed, 1 unanswered',
        'shop CLIENT pay 1, 1 failed, 1 unanswered',
        'shop CLIENT [gone] 1, 1 failed, 1 unanswered',
        'shop PRODUCER [redis] 1',
        'shop PRODUCER pay 1',
        'shop PRODUCER [gone] 1',
      ])
    })

    const below: SpanLiteral[] = [
      { trace: '1', id: '1', kind: 'CLIENT', status: 'ERROR', attributes: { 'db.system': 'redis' } },
      { trace: '1', id: '2', parent: '1', kind: 'INTERNAL' },
      { trace: '1', id: '3', parent: '2', kind: 'SERVER', service: 'pay' },
    ]
    answers('asks the attributes where only its own spans are below', { spans: below }, async (reader) => {
      await expectEdges(reader, ['shop CLIENT [redis] 1, 1 failed'])
    })

    const lately: SpanLiteral[] = [
      { ...PAY, atMs: -DAY_MS },
      { trace: '1', kind: 'CLIENT', atMs: -1, attributes: { 'peer.service': 'pay', 'db.system': 'redis' } },
      { trace: '2', kind: 'CLIENT', atMs: -1, attributes: { 'peer.service': 'later', 'db.system': 'redis' } },
      { trace: '3', service: 'later', atMs: 0 },
    ]
    answers('knows services of the 24 hours before the window ends', { spans: lately }, async (reader) => {
      await expectEdges(reader, ['shop CLIENT pay 1', 'shop CLIENT [redis] 1'], windowMs(-10, 0))
      await expectEdges(reader, ['shop CLIENT later 1', 'shop CLIENT [redis] 1'], windowMs(-10, 1))
    })
  })
}
