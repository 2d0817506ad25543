import type { ServiceSpec } from '../service-spec.ts'
import { compute, hiccup, query, sometimes, within } from '../step.ts'

const readProduct = query(
  'catalog-db',
  'SELECT products',
  'SELECT id, name, description, price_cents, currency FROM products WHERE id = $1',
  3,
)
const readPrices = query(
  'catalog-db',
  'SELECT prices',
  'SELECT product_id, price_cents, currency FROM prices WHERE product_id = ANY($1) AND valid_to > now()',
  4,
)
const oddFailure = hiccup(
  '*pgconn.PgError',
  'ERROR: canceling statement due to conflict with recovery (SQLSTATE 40001)',
)

/** Products, prices and search. Search is what costs processor time. */
export const catalog: ServiceSpec = {
  name: 'catalog',
  runtime: 'go',
  version: '3.7.2',
  instances: 3,
  cores: 0.18,
  workers: 24,
  backlogMax: 40,
  memoryMiB: 256,
  pools: { 'catalog-db': 12, 'page-cache': 16 },
  poolTimeoutMs: 2000,
  operations: {
    'GET /featured': [
      query('page-cache', 'GET', 'GET featured:?', 0.6),
      sometimes(0.15, [
        query('catalog-db', 'SELECT products', 'SELECT id, name, price_cents FROM products WHERE featured LIMIT $1', 6),
        query('page-cache', 'SET', 'SET featured:? ? EX ?', 0.6),
      ]),
      compute(2),
      oddFailure,
    ],
    'GET /products/{productId}': [
      query('page-cache', 'GET', 'GET product:?', 0.6),
      sometimes(0.3, [readProduct, query('page-cache', 'SET', 'SET product:? ? EX ?', 0.6)]),
      compute(2.5),
      oddFailure,
    ],
    'GET /prices': [readPrices, compute(1.5), oddFailure],
    'GET /search': [
      query(
        'catalog-db',
        'SELECT products',
        'SELECT id, ts_rank(search_vector, query) AS rank FROM products, plainto_tsquery($1) query WHERE search_vector @@ query LIMIT 200',
        18,
      ),
      within('rank results', [compute(44)]),
      oddFailure,
    ],
  },
  consumes: [],
}
