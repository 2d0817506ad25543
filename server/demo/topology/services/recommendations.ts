import type { ServiceSpec } from '../service-spec.ts'
import { compute, hiccup, query, within } from '../step.ts'

const oddFailure = hiccup('ValueError', 'embedding has NaN components')

/** What else a customer may like. Pages do without it when it is late. */
export const recommendations: ServiceSpec = {
  name: 'recommendations',
  runtime: 'python',
  version: '1.22.1',
  instances: 2,
  cores: 0.3,
  workers: 8,
  backlogMax: 32,
  memoryMiB: 768,
  pools: { 'page-cache': 12 },
  poolTimeoutMs: 800,
  operations: {
    'GET /recommendations/{userId}': [
      query('page-cache', 'MGET', 'MGET views:? model:?', 0.8),
      within('score candidates', [compute(9)]),
      oddFailure,
    ],
    'GET /related/{productId}': [query('page-cache', 'GET', 'GET related:?', 0.6), compute(6), oddFailure],
  },
  consumes: [],
}
