import type { ServiceSpec } from '../service-spec.ts'
import { compute, external, hiccup, publish, query, say } from '../step.ts'

const oddFailure = hiccup('RangeError', 'Invalid time value')

/** Quotes, shipments and their tracking. Shipments are made from the order queue. */
export const shipping: ServiceSpec = {
  name: 'shipping',
  runtime: 'nodejs',
  version: '3.0.5',
  instances: 2,
  cores: 0.25,
  workers: 24,
  backlogMax: 48,
  memoryMiB: 384,
  pools: { 'shipping-db': 10, 'page-cache': 12 },
  poolTimeoutMs: 1500,
  operations: {
    'GET /estimates': [query('page-cache', 'GET', 'GET rates:?', 0.6), compute(2), oddFailure],
    'POST /quotes': [
      external('carrier-rates', 'POST /v2/rates', { timeoutMs: 3000, retries: 1 }),
      compute(3),
      query('page-cache', 'SET', 'SET rates:? ? EX ?', 0.6),
      oddFailure,
    ],
    'GET /shipments/{orderId}': [
      query(
        'shipping-db',
        'SELECT shipments',
        'SELECT id, carrier, state, tracking_code FROM shipments WHERE order_id = $1',
        3,
      ),
      compute(2),
      oddFailure,
    ],
  },
  consumes: [
    {
      topic: 'orders.placed',
      concurrency: 4,
      steps: [
        compute(4),
        query(
          'shipping-db',
          'INSERT shipments',
          'INSERT INTO shipments (id, order_id, carrier) VALUES ($1, $2, $3)',
          4,
        ),
        publish('shipments.created'),
        say('info', 'Shipment for order {orderId} handed to the carrier'),
      ],
    },
  ],
}
