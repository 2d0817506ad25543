import type { Random } from './random.ts'

export const SERVICE_COUNT = 50
/** Every trace begins here. */
export const ENTRY_SERVICE = 'edge-gateway'
const INSTANCES_PER_SERVICE = 3

export interface SimulatedService {
  name: string
  /** How often the service is called, relative to others; the entry service is never called. */
  weight: number
  routes: string[]
  databaseOperations: { name: string; collection: string; query: string }[]
  functions: string[]
  database: string
  topic: string
  /** Whom it calls, and who takes its messages: a service knows few others. */
  peers: SimulatedService[]
  consumers: SimulatedService[]
  instances: Record<string, string>[]
}

const NOUNS = ['order', 'cart', 'item', 'invoice', 'shipment', 'price', 'review', 'coupon', 'stock', 'profile']
const ROLES = ['api', 'worker', 'store', 'search', 'sync']
const DATABASES = ['postgresql', 'mysql', 'mongodb', 'redis']

const PEERS = 6
const CONSUMERS = 2

/** Fifty services with ten operations each. */
export function simulatedServices(random: Random): SimulatedService[] {
  const services = separateServices(random)
  for (const service of services) {
    service.peers = knownOthers(random, services, service, service.name === ENTRY_SERVICE ? 2 * PEERS : PEERS)
    service.consumers = knownOthers(random, services, service, CONSUMERS)
  }
  return services
}

/** Others are known as often as they are called. */
function knownOthers(
  random: Random,
  services: SimulatedService[],
  service: SimulatedService,
  count: number,
): SimulatedService[] {
  const known = new Set<SimulatedService>()
  const total = services.reduce((sum, { weight }) => sum + weight, 0)
  while (known.size < count) {
    let left = random.unit() * total
    const other = services.find(({ weight }) => {
      left -= weight
      return left < 0
    })
    if (other && other !== service) known.add(other)
  }
  return [...known]
}

function separateServices(random: Random): SimulatedService[] {
  return Array.from({ length: SERVICE_COUNT }, (_, i) => {
    const noun = NOUNS[i % NOUNS.length] as string
    const name = i === 0 ? ENTRY_SERVICE : `${noun}-${ROLES[Math.floor(i / NOUNS.length)]}`
    const namespace = name.replaceAll('-', '_')
    return {
      name,
      weight: i === 0 ? 0 : 1 / (i + 12),
      routes: routesOf(name, noun),
      databaseOperations: databaseOperationsOf(noun, namespace),
      functions: [`${namespace}.validate`, `${namespace}.render`],
      database: DATABASES[i % DATABASES.length] as string,
      topic: `${name}.events`,
      peers: [],
      consumers: [],
      instances: Array.from({ length: INSTANCES_PER_SERVICE }, () => instanceOf(random, name)),
    }
  })
}

function routesOf(name: string, noun: string): string[] {
  const base = `/api/${name}/v2/${noun}s`
  return [`GET ${base}/:${noun}Id`, `GET ${base}/:${noun}Id/details`, `POST ${base}`, `GET ${base}/search`]
}

function databaseOperationsOf(noun: string, namespace: string): SimulatedService['databaseOperations'] {
  return [
    {
      name: `SELECT ${namespace}.${noun}s`,
      collection: `${noun}s`,
      query: `SELECT id, customer_id, status, total_cents FROM ${noun}s WHERE id = $1 AND deleted_at IS NULL`,
    },
    {
      name: `UPDATE ${namespace}.${noun}s`,
      collection: `${noun}s`,
      query: `UPDATE ${noun}s SET status = $1, version = version + 1 WHERE id = $2 RETURNING version`,
    },
  ]
}

function instanceOf(random: Random, name: string): Record<string, string> {
  const suffix = `${hex(random)}${hex(random).slice(0, 2)}-${hex(random).slice(0, 5)}`
  return {
    'service.name': name,
    'service.namespace': 'shop',
    'service.version': `${1 + random.below(4)}.${random.below(30)}.${random.below(10)}`,
    'service.instance.id': `${hex(random)}-${hex(random).slice(0, 4)}-4${hex(random).slice(0, 3)}-${hex(random)}`,
    'deployment.environment.name': 'production',
    'host.name': `ip-10-0-${random.below(256)}-${random.below(256)}`,
    'k8s.pod.name': `${name}-${suffix}`,
    'telemetry.sdk.language': 'nodejs',
    'telemetry.sdk.name': 'opentelemetry',
    'telemetry.sdk.version': '2.12.0',
  }
}

function hex(random: Random): string {
  return random.uint32().toString(16).padStart(8, '0')
}
