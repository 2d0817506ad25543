import type { ServiceSpec } from '../service-spec.ts'
import { compute, hiccup, query, say, transaction } from '../step.ts'

const oddFailure = hiccup(
  'org.postgresql.util.PSQLException',
  'ERROR: could not serialize access due to concurrent update',
)

/** How many of each product are left; asked over gRPC. */
export const inventory: ServiceSpec = {
  name: 'inventory',
  runtime: 'java',
  version: '2.18.0',
  instances: 2,
  cores: 0.2,
  workers: 24,
  backlogMax: 48,
  memoryMiB: 384,
  pools: { 'inventory-db': 10 },
  poolTimeoutMs: 2000,
  operations: {
    'shop.inventory.v1.Inventory/GetStock': [
      query('inventory-db', 'SELECT stock', 'SELECT warehouse_id, quantity FROM stock WHERE product_id = $1', 3),
      compute(1.5),
      oddFailure,
    ],
    'shop.inventory.v1.Inventory/Reserve': [
      transaction('inventory-db', [
        query('inventory-db', 'SELECT stock', 'SELECT quantity FROM stock WHERE product_id = $1 FOR UPDATE', 4),
        query('inventory-db', 'UPDATE stock', 'UPDATE stock SET quantity = quantity - $2 WHERE product_id = $1', 3),
        query('inventory-db', 'COMMIT', 'COMMIT', 2),
      ]),
      compute(2),
      say('info', 'Reserved stock of product {productId} for order {orderId}'),
      oddFailure,
    ],
  },
  consumes: [],
}
