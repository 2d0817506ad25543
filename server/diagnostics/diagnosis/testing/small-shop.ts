import type { SimulatedSystem } from './simulated-system.ts'

/** A shop: seven services, of which one only takes messages and one can be done without; a database, a cache, a card processor. */
export const smallShop: SimulatedSystem = {
  services: {
    web: {
      instances: 2,
      version: '1.0.0',
      operations: {
        'GET /cart': { ownMs: 4, calls: ['cart GET /carts'], tries: ['ads GET /ads'] },
        'POST /checkout': { ownMs: 6, calls: ['checkout POST /orders'] },
        'GET /search': { ownMs: 4, calls: ['search GET /search'] },
      },
    },
    cart: {
      instances: 3,
      version: '2.0.0',
      operations: { 'GET /carts': { ownMs: 3, calls: ['cache'] } },
    },
    checkout: {
      instances: 2,
      version: '3.0.0',
      operations: {
        'POST /orders': {
          ownMs: 8,
          calls: ['cart GET /carts', 'payments POST /charges', 'orders-db'],
          sends: 'mail process orders',
        },
      },
    },
    payments: {
      instances: 2,
      version: '4.0.0',
      operations: { 'POST /charges': { ownMs: 5, calls: ['cards'] } },
    },
    ads: { instances: 1, version: '6.0.0', operations: { 'GET /ads': { ownMs: 2, calls: [] } } },
    mail: { instances: 1, version: '7.0.0', operations: { 'process orders': { ownMs: 12, calls: [] } } },
    search: {
      instances: 2,
      version: '5.0.0',
      operations: { 'GET /search': { ownMs: 25, calls: ['orders-db'] } },
    },
  },
  dependencies: {
    cache: { ms: 1, attributes: { 'db.system.name': 'redis', 'db.namespace': '0' } },
    'orders-db': { ms: 4, attributes: { 'db.system.name': 'postgresql', 'db.namespace': 'orders' } },
    cards: {
      ms: 90,
      attributes: { 'server.address': 'api.cards.example', 'url.full': 'https://api.cards.example/v1' },
    },
  },
  entries: { 'web GET /cart': 0.4, 'web POST /checkout': 0.3, 'web GET /search': 0.3 },
}
