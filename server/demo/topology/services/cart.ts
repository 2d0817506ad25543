import type { ServiceSpec } from '../service-spec.ts'
import { call, compute, hiccup, query, say } from '../step.ts'

const readCart = query('cart-store', 'HGETALL', 'HGETALL cart:?', 0.8)
const oddFailure = hiccup('System.FormatException', "The input string 'undefined' was not in a correct format.")

/** Carts live in Redis only. */
export const cart: ServiceSpec = {
  name: 'cart',
  runtime: 'dotnet',
  version: '2.9.4',
  instances: 3,
  cores: 0.15,
  workers: 16,
  backlogMax: 64,
  memoryMiB: 256,
  pools: { 'cart-store': 16 },
  poolTimeoutMs: 1000,
  operations: {
    'POST /carts/{cartId}/items': [
      call('catalog', 'GET /prices', { timeoutMs: 1200 }),
      query('cart-store', 'HSET', 'HSET cart:? ? ?', 0.8),
      query('cart-store', 'EXPIRE', 'EXPIRE cart:? ?', 0.5),
      compute(2),
      say('info', 'Added product {productId} to cart {cartId}'),
      oddFailure,
    ],
    'GET /carts/{cartId}': [readCart, call('catalog', 'GET /prices', { timeoutMs: 1200 }), compute(2), oddFailure],
    'DELETE /carts/{cartId}': [query('cart-store', 'DEL', 'DEL cart:?', 0.6), compute(1), oddFailure],
  },
  consumes: [],
}
