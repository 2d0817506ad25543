/** What customers ask of the storefront, and how often: shares of all requests at the usual load. */
export const TRAFFIC = {
  home: { operation: 'GET /', share: 0.18 },
  product: { operation: 'GET /products/{productId}', share: 0.31 },
  search: { operation: 'GET /search', share: 0.14 },
  'add-to-cart': { operation: 'POST /cart/items', share: 0.1 },
  'view-cart': { operation: 'GET /cart', share: 0.08 },
  checkout: { operation: 'POST /checkout', share: 0.06 },
  login: { operation: 'POST /login', share: 0.08 },
  'order-status': { operation: 'GET /orders/{orderId}', share: 0.05 },
} as const satisfies Record<string, { operation: string; share: number }>

export type TrafficKind = keyof typeof TRAFFIC

/** Requests a second for which the services are sized; at higher rates the shop has more instances. */
export const USUAL_RATE_PER_SECOND = 20

/** Slightly more by day, slightly less by night. */
export function rhythmAt(epochMs: number): number {
  const dayMs = 86_400_000
  return 1 + 0.08 * Math.sin((2 * Math.PI * (epochMs - 9 * 3_600_000)) / dayMs)
}
