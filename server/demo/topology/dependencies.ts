/** What the services lean on without its sending telemetry of its own: databases, queues, other companies' APIs. */

export interface DatabaseSpec {
  system: 'postgresql' | 'redis'
  namespace: string
  address: string
  port: number
  /** Statements that it runs at once at the usual load; more wait. */
  concurrency: number
}

const postgres = (namespace: string, concurrency = 16): DatabaseSpec => ({
  system: 'postgresql',
  namespace,
  address: `pg-${namespace}.shop.internal`,
  port: 5432,
  concurrency,
})

const redis = (name: string): DatabaseSpec => ({
  system: 'redis',
  namespace: '0',
  address: `redis-${name}.shop.internal`,
  port: 6379,
  concurrency: 8,
})

export const DATABASES = {
  'catalog-db': postgres('catalog'),
  'accounts-db': postgres('accounts'),
  'orders-db': postgres('orders'),
  'payments-db': postgres('payments'),
  'inventory-db': postgres('inventory'),
  'shipping-db': postgres('shipping'),
  'page-cache': redis('pages'),
  'cart-store': redis('carts'),
  sessions: redis('sessions'),
} as const satisfies Record<string, DatabaseSpec>

export type DatabaseName = keyof typeof DATABASES

export interface ApiSpec {
  address: string
  /** Half of the answers take less than this. */
  medianMs: number
  sigma: number
  /** The share of calls that fail on an ordinary day. */
  errorShare: number
}

export const APIS = {
  'card-processor': { address: 'api.cardwright.example', medianMs: 210, sigma: 0.25, errorShare: 0.002 },
  'carrier-rates': { address: 'rates.parcelway.example', medianMs: 120, sigma: 0.3, errorShare: 0.002 },
  'mail-delivery': { address: 'smtp-api.postbird.example', medianMs: 90, sigma: 0.3, errorShare: 0.002 },
} as const satisfies Record<string, ApiSpec>

export type ApiName = keyof typeof APIS

export interface TopicSpec {
  system: 'kafka' | 'rabbitmq'
  address: string
  port: number
  partitions: number
  /** Consumers either start a trace of their own that links to the sender, or go on in the sender's trace. */
  trace: 'linked' | 'continued'
}

export const TOPICS = {
  'orders.placed': { system: 'kafka', address: 'kafka.shop.internal', port: 9092, partitions: 6, trace: 'linked' },
  'shipments.created': { system: 'kafka', address: 'kafka.shop.internal', port: 9092, partitions: 6, trace: 'linked' },
  'mail.security': {
    system: 'rabbitmq',
    address: 'rabbit.shop.internal',
    port: 5672,
    partitions: 1,
    trace: 'continued',
  },
} as const satisfies Record<string, TopicSpec>

export type TopicName = keyof typeof TOPICS
