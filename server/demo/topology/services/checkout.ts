import type { ServiceSpec } from '../service-spec.ts'
import { call, compute, hiccup, publish, query, say, together, transaction, tryCall, within } from '../step.ts'

const oddFailure = hiccup('java.util.ConcurrentModificationException', 'cart changed while the order was being built')

/** Turns a cart into an order: the longest way through the shop. */
export const checkout: ServiceSpec = {
  name: 'checkout',
  runtime: 'java',
  version: '5.1.3',
  instances: 2,
  cores: 0.3,
  workers: 16,
  backlogMax: 32,
  memoryMiB: 512,
  pools: { 'orders-db': 10 },
  poolTimeoutMs: 2000,
  operations: {
    'POST /orders': [
      together(
        [call('cart', 'GET /carts/{cartId}', { timeoutMs: 1500, retries: 1 })],
        [call('accounts', 'GET /accounts/{userId}', { timeoutMs: 3000 })],
      ),
      within('price order', [compute(6)]),
      call('shipping', 'POST /quotes', { timeoutMs: 4000 }),
      call('inventory', 'shop.inventory.v1.Inventory/Reserve', { timeoutMs: 3000 }),
      call('payments', 'POST /payments', { timeoutMs: 10000 }),
      transaction('orders-db', [
        query('orders-db', 'INSERT orders', 'INSERT INTO orders (id, user_id, total_cents) VALUES ($1, $2, $3)', 3),
        query(
          'orders-db',
          'INSERT order_lines',
          'INSERT INTO order_lines (order_id, product_id, quantity) VALUES ($1, $2, $3)',
          3,
        ),
        query('orders-db', 'COMMIT', 'COMMIT', 2),
      ]),
      publish('orders.placed'),
      tryCall('cart', 'DELETE /carts/{cartId}', { timeoutMs: 1000 }),
      say('info', 'Order {orderId} confirmed, total {totalCents} cents'),
      oddFailure,
    ],
    'GET /orders/{orderId}': [
      query('orders-db', 'SELECT orders', 'SELECT id, status, total_cents, placed_at FROM orders WHERE id = $1', 3),
      query('orders-db', 'SELECT order_lines', 'SELECT product_id, quantity FROM order_lines WHERE order_id = $1', 3),
      compute(2),
      oddFailure,
    ],
  },
  consumes: [],
}
