import type { Random } from './random.ts'
import type { PlannedSpan } from './trace-plan.ts'

/** A text (with blanks, see `WireWriter.template`), a number, or any number of three bytes. */
export type AttributeValue = string | number | typeof ANY_INTEGER
export const ANY_INTEGER = Symbol('any integer')

type Attributes = Record<string, AttributeValue>

const USER_AGENTS = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148',
  'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 14_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
  'shop-mobile/7.14.2 (Android 15; Pixel 9)',
  'axios/1.12.2',
  'Go-http-client/2.0',
]

/** Twelve attributes, as the semantic conventions name them. */
export function attributesOf(span: PlannedSpan, random: Random): Attributes {
  return { ...OF_KIND[span.kind](span, random), 'user.id': 'user-{user 5}', 'thread.id': random.below(64) }
}

export function nameOf(span: PlannedSpan): string {
  const { service, choice } = span
  switch (span.kind) {
    case 'server':
      return service.routes[choice] as string
    case 'http-client':
      return methodOf(span)
    case 'database':
      return databaseOperation(span).name
    case 'internal':
      return service.functions[choice] as string
    case 'producer':
      return `publish ${service.topic}`
    case 'consumer':
      return `process ${service.topic}`
  }
}

const OF_KIND: Record<PlannedSpan['kind'], (span: PlannedSpan, random: Random) => Attributes> = {
  server: (span, random) => ({
    'http.request.method': methodOf(span),
    'http.route': routeOf(span),
    'url.path': pathOf(span),
    'url.scheme': 'https',
    'http.response.status_code': span.failed ? random.pick([500, 502, 503]) : random.pick([200, 200, 200, 201, 304]),
    'server.address': `${span.service.name}.shop.svc.cluster.local`,
    'server.port': 8443,
    'client.address': `10.${random.below(4)}.{digits 2}.1{digits 2}`,
    'user_agent.original': random.pick(USER_AGENTS),
    'http.response.body.size': ANY_INTEGER,
  }),
  'http-client': (span, random) => ({
    'http.request.method': methodOf(span),
    'url.full': `https://${span.peer?.name}.shop.svc.cluster.local:8443${pathOf(span)}?trace=full`,
    'http.response.status_code': span.failed ? random.pick([500, 502, 504]) : 200,
    'server.address': `${span.peer?.name}.shop.svc.cluster.local`,
    'server.port': 8443,
    'network.protocol.version': '1.1',
    'network.peer.address': `10.0.${random.below(256)}.${random.below(256)}`,
    'network.transport': 'tcp',
    'http.response.body.size': ANY_INTEGER,
    'peer.service': `${span.peer?.name}`,
  }),
  database: (span, random) => ({
    'db.system.name': span.service.database,
    'db.namespace': span.service.name.replaceAll('-', '_'),
    'db.operation.name': databaseOperation(span).name.split(' ')[0] as string,
    'db.collection.name': databaseOperation(span).collection,
    'db.query.text': databaseOperation(span).query,
    'server.address': `${span.service.name}-primary.db.shop.svc.cluster.local`,
    'server.port': 5432,
    'network.peer.address': `10.1.${random.below(4)}.${random.below(16)}`,
    'db.response.returned_rows': random.below(100),
    'db.client.connection.pool.name': `${span.service.name}-primary`,
  }),
  internal: (span, random) => ({
    'code.function.name': span.service.functions[span.choice] as string,
    'code.file.path': `/srv/app/dist/modules/${span.service.name}/${span.service.functions[span.choice]}.js`,
    'code.line.number': random.below(800),
    'app.cache.key': `${span.service.name}:session:{hex 16}`,
    'app.cache.hit': random.pick(['true', 'false']),
    'app.feature_flag': random.pick(['checkout-v2', 'new-ranking', 'none']),
    'app.tenant': `tenant-${random.below(200)}`,
    'app.payload.bytes': ANY_INTEGER,
    'app.experiment.bucket': random.below(100),
    'app.retry.count': 0,
  }),
  producer: (span, random) => messagingOf(span, 'send', random),
  consumer: (span, random) => messagingOf(span, 'process', random),
}

function messagingOf(span: PlannedSpan, operation: string, random: Random): Attributes {
  return {
    'messaging.system': 'kafka',
    'messaging.destination.name': span.service.topic,
    'messaging.operation.type': operation,
    'messaging.message.id': '{hex 8}-{hex 4}-4{hex 3}-a{hex 3}-{hex 12}',
    'messaging.message.body.size': ANY_INTEGER,
    'messaging.kafka.offset': ANY_INTEGER,
    'messaging.destination.partition.id': String(random.below(24)),
    'messaging.consumer.group.name': `${span.service.name}-consumers`,
    'server.address': `kafka-${random.below(6)}.shop.svc.cluster.local`,
    'server.port': 9092,
  }
}

function methodOf(span: PlannedSpan): string {
  return (span.service.routes[span.choice] as string).split(' ')[0] as string
}

function routeOf(span: PlannedSpan): string {
  return (span.service.routes[span.choice] as string).split(' ')[1] as string
}

function pathOf(span: PlannedSpan): string {
  const owner = span.peer ? { ...span, service: span.peer } : span
  const path = routeOf(owner)
  return path.includes(':') ? path.replace(/:\w+/, '{hex 10}') : `${path}/{digits 6}`
}

function databaseOperation(span: PlannedSpan): { name: string; collection: string; query: string } {
  return span.service.databaseOperations[span.choice] as { name: string; collection: string; query: string }
}
