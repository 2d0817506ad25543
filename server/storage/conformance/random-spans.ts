import type { Attributes, AttributeValue } from '../../domain/attributes.ts'
import type { SpanEvent } from '../../domain/span.ts'
import type { SeededRandom } from './seeded-random.ts'
import type { SpanLiteral } from './span-builder.ts'
import { BASE_NS, MS_PER_HOUR } from './test-time.ts'

/** What random questions choose from, beside what was never sent. */
export const SERVICES = ['web', 'cart', 'pay', 'mail', 'batch'] as const
export const OPERATIONS = ['GET /', 'GET /cart', 'charge', 'send', 'run', "it's", '100%'] as const
export const HOURS = 3
const DURATIONS_NS = [0n, 499_999n, 500_000n, 1_500_000n, 20_000_000n, 500_000_000n, 500_000_001n, 2_000_000_000n]

/** One trace of one of several shapes, in the three hours after the base; its spans in no particular order of arrival. */
export function randomTrace(random: SeededRandom): SpanLiteral[] {
  const trace = random.hex(32)
  const startMs = random.below(HOURS * 3600) * 1000 + (random.chance(0.5) ? 0 : random.below(1000))
  const shape = random.pick([
    request,
    request,
    chain,
    fanOut,
    batchJob,
    message,
    failedCall,
    long,
    headless,
    linked,
    outside,
    crowd,
  ])
  return shape(random, { trace, atMs: startMs })
}

type Shape = (random: SeededRandom, base: SpanLiteral) => SpanLiteral[]

/** Now and then under an id that spans of other traces have too. */
const request: Shape = (random, base) => {
  const shared: SpanLiteral = random.chance(0.1) ? { id: 'aa' } : {}
  return [span(random, { ...base, ...shared, service: 'web', kind: 'SERVER' })]
}

/** A request through several services; now and then a clock is behind, or a server calls itself. */
const chain: Shape = (random, base) => {
  const services = random.shuffled(['web', 'cart', 'pay'] as const).slice(0, 1 + random.below(3))
  const spans: SpanLiteral[] = []
  for (const service of [...services, ...(random.chance(0.3) ? services.slice(-1) : [])]) {
    const server = below(random, base, spans.at(-1), { service, kind: 'SERVER' })
    const client = below(random, base, server, { service, kind: random.pick(['CLIENT', 'INTERNAL'] as const) })
    spans.push(server, ...(random.chance(0.7) ? [client] : []))
  }
  return spans
}

/** Many spans that start at the same moment, some below each other. */
const fanOut: Shape = (random, base) => {
  const spans = [span(random, { ...base, service: 'web', kind: 'SERVER' })]
  for (let count = 0; count < 6; count++) {
    const parent = random.pick(spans)
    const child = span(random, { ...base, service: random.pick(['web', 'cart'] as const) })
    spans.push({ ...child, parent: parent.id ?? '', atMs: random.pick([parent.atMs ?? 0, (parent.atMs ?? 0) + 1]) })
  }
  return spans
}

/** A service that nobody asks. */
const batchJob: Shape = (random, base) => {
  const root = span(random, { ...base, service: 'batch', kind: 'INTERNAL' })
  return [root, below(random, base, root, { service: 'batch', kind: 'CLIENT' })]
}

const message: Shape = (random, base) => {
  const producer = span(random, { ...base, service: 'cart', kind: 'PRODUCER' })
  const key = random.pick(['messaging.operation', 'messaging.operation.type'])
  const attributes = { ...randomAttributes(random), [key]: random.pick(['receive', 'process']) }
  return [producer, below(random, base, producer, { service: 'mail', kind: 'CONSUMER', attributes })]
}

/** A message that up to two others consume in traces of their own, some time before or after. */
const linked: Shape = (random, base) => {
  const kind = random.pick(['PRODUCER', 'CLIENT'] as const)
  const producer = span(random, { ...base, service: 'cart', kind, attributes: { 'messaging.system': 'kafka' } })
  const links = [{ traceId: base.trace ?? '', spanId: producer.id ?? '', attributes: {} }]
  const consumers = Array.from({ length: random.below(3) }, () =>
    span(random, {
      trace: random.hex(32),
      atMs: Math.max(0, (base.atMs ?? 0) + random.pick([-60_000, 5, 60_000, MS_PER_HOUR])),
      service: random.pick(['mail', 'pay', 'cart'] as const),
      kind: random.pick(['CONSUMER', 'CONSUMER', 'INTERNAL'] as const),
      links,
    }),
  )
  return [producer, ...consumers]
}

/** A call of something that sends no spans. */
const outside: Shape = (random, base) => {
  const attributes = random.pick<Attributes>([
    { 'db.system': 'redis' },
    { 'db.system.name': 'postgresql', 'db.namespace': 'orders', 'server.address': 'db-1' },
    { 'messaging.system': 'kafka', 'messaging.destination.name': 'orders' },
    { 'rpc.service': 'shop.Cart', 'peer.service': 'mail' },
    { 'url.full': 'https://api.example:8443/a' },
    { 'net.peer.name': 'pay' },
    {},
  ])
  const call = span(random, { ...base, service: random.pick(SERVICES), kind: 'CLIENT', attributes })
  return random.chance(0.3) ? [call, below(random, base, call, { service: call.service ?? '' })] : [call]
}

/** Many requests at once, so that some groups are too large to be told one by one. */
const crowd: Shape = (random, base) =>
  Array.from({ length: 60 }, () => {
    const atMs = (base.atMs ?? 0) + random.below(3 * 60_000)
    return span(random, { ...base, atMs, service: 'mail', kind: 'SERVER', operation: 'send' })
  })

/** A call that names its callee, which answers or does not. */
const failedCall: Shape = (random, base) => {
  const callee = random.pick(['pay', 'mail', 'stranger', 'web'] as const)
  const attributes = { ...randomAttributes(random), [random.pick(['peer.service', 'server.address'])]: callee }
  const status = random.pick(['ERROR', 'ERROR', 'OK'] as const)
  const call = span(random, {
    ...base,
    service: 'web',
    kind: random.pick(['CLIENT', 'PRODUCER'] as const),
    status,
    attributes,
  })
  return random.chance(0.4) ? [call, below(random, base, call, { service: 'pay', kind: 'SERVER' })] : [call]
}

/** A trace that goes on for hours. */
const long: Shape = (random, base) => {
  const root = span(random, { ...base, service: 'web', kind: 'SERVER' })
  const children = Array.from({ length: 4 }, () => {
    const child = below(random, base, root, {
      service: random.pick(['web', 'cart', 'batch'] as const),
      kind: 'INTERNAL',
    })
    return { ...child, atMs: random.below(HOURS * MS_PER_HOUR) }
  })
  return [root, ...children]
}

/** Its root never arrives. */
const headless: Shape = (random, base) => [
  span(random, { ...base, parent: random.hex(16), service: random.pick(SERVICES), kind: 'INTERNAL' }),
  span(random, { ...base, parent: random.hex(16), service: random.pick(SERVICES), kind: 'INTERNAL' }),
]

function below(
  random: SeededRandom,
  base: SpanLiteral,
  parent: SpanLiteral | undefined,
  own: SpanLiteral,
): SpanLiteral {
  if (parent === undefined) return span(random, { ...base, ...own })
  const atMs = (parent.atMs ?? 0) + random.pick([-1, 0, 0, 1, 5])
  return span(random, { ...base, ...own, parent: parent.id ?? '', atMs })
}

function span(random: SeededRandom, own: SpanLiteral): SpanLiteral {
  return {
    id: random.hex(16),
    operation: random.pick(OPERATIONS),
    status: random.pick(['UNSET', 'OK', 'UNSET', 'ERROR'] as const),
    durationNs: random.chance(0.5) ? random.pick(DURATIONS_NS) : BigInt(random.below(3e9)),
    attributes: randomAttributes(random),
    resource: { region: random.pick(['eu', 'us']), 'host.name': `host-${random.below(4)}` },
    events: randomEvents(random),
    ...own,
  }
}

/** A few keys with values of several types whose texts may be equal. */
function randomAttributes(random: SeededRandom): Attributes {
  const possible: [string, number, AttributeValue[]][] = [
    ['http.status', 0.6, [200, '200', 404, 502, '502']],
    ['user', 0.4, ['u1', 'u2', 'u3', 'u4', 'u5']],
    ['flag', 0.2, [true, false, null, 'true']],
    ['region', 0.1, ['eu', 'us', 'mars']],
    ['a.b', 0.1, [['x', 1], { c: 'x' }, '["x",1]']],
  ]
  const present = possible.filter(([, probability]) => random.chance(probability))
  return Object.fromEntries(present.map(([key, , values]) => [key, random.pick(values)]))
}

function randomEvents(random: SeededRandom): SpanEvent[] {
  const name = random.pick(['', '', '', 'exception', 'retry'])
  return name === '' ? [] : [{ name, timeNs: BASE_NS, attributes: { 'exception.type': 'Oops' } }]
}
