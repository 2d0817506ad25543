import type { ServiceSpec } from '../service-spec.ts'
import { call, compute, hiccup, query, say, together, tryCall } from '../step.ts'

const session = query('sessions', 'GET', 'GET session:?', 0.6)
const oddFailure = hiccup('TypeError', "Cannot read properties of undefined (reading 'locale')")

/** The entry: renders pages out of what the other services answer. */
export const storefront: ServiceSpec = {
  name: 'storefront',
  runtime: 'nodejs',
  version: '8.14.0',
  instances: 3,
  cores: 0.4,
  workers: 120,
  backlogMax: 200,
  memoryMiB: 512,
  pools: { sessions: 32 },
  poolTimeoutMs: 1000,
  operations: {
    'GET /': [
      session,
      together(
        [call('catalog', 'GET /featured', { timeoutMs: 2000, retries: 1 })],
        [tryCall('recommendations', 'GET /recommendations/{userId}', { timeoutMs: 900 })],
      ),
      compute(5),
      oddFailure,
    ],
    'GET /products/{productId}': [
      session,
      together(
        [call('catalog', 'GET /products/{productId}', { timeoutMs: 2000, retries: 1 })],
        [call('inventory', 'shop.inventory.v1.Inventory/GetStock', { timeoutMs: 2500 })],
        [tryCall('recommendations', 'GET /related/{productId}', { timeoutMs: 900 })],
      ),
      compute(6),
      oddFailure,
    ],
    'GET /search': [session, call('catalog', 'GET /search', { timeoutMs: 3000 }), compute(5), oddFailure],
    'POST /cart/items': [
      session,
      call('cart', 'POST /carts/{cartId}/items', { timeoutMs: 1500 }),
      compute(2),
      oddFailure,
    ],
    'GET /cart': [
      session,
      call('cart', 'GET /carts/{cartId}', { timeoutMs: 1500, retries: 1 }),
      tryCall('shipping', 'GET /estimates', { timeoutMs: 1200 }),
      compute(4),
      oddFailure,
    ],
    'POST /checkout': [
      session,
      call('checkout', 'POST /orders', { timeoutMs: 15000 }),
      compute(4),
      say('info', 'Order {orderId} placed by user {userId}'),
      oddFailure,
    ],
    'POST /login': [call('accounts', 'POST /sessions', { timeoutMs: 4000 }), compute(2), oddFailure],
    'GET /orders/{orderId}': [
      session,
      call('checkout', 'GET /orders/{orderId}', { timeoutMs: 2000, retries: 1 }),
      tryCall('shipping', 'GET /shipments/{orderId}', { timeoutMs: 1200 }),
      compute(4),
      oddFailure,
    ],
  },
  consumes: [],
}
