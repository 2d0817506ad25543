import type { ServiceSpec } from '../service-spec.ts'
import { compute, external, hiccup, query, say, within } from '../step.ts'

const oddFailure = hiccup('javax.crypto.AEADBadTagException', 'Tag mismatch')

/** Charges cards through another company's API; each charge holds a worker until the processor answers. */
export const payments: ServiceSpec = {
  name: 'payments',
  runtime: 'java',
  version: '4.4.1',
  instances: 2,
  cores: 0.25,
  workers: 6,
  backlogMax: 16,
  memoryMiB: 384,
  pools: { 'payments-db': 10 },
  poolTimeoutMs: 2000,
  operations: {
    'POST /payments': [
      query(
        'payments-db',
        'INSERT payments',
        'INSERT INTO payments (id, order_id, amount_cents, state) VALUES ($1, $2, $3, $4)',
        3,
      ),
      within('encrypt card token', [compute(3)]),
      external('card-processor', 'POST /v1/charges', { timeoutMs: 6000, retries: 1 }),
      query('payments-db', 'UPDATE payments', 'UPDATE payments SET state = $1, processor_ref = $2 WHERE id = $3', 3),
      say('info', 'Charged {totalCents} cents for order {orderId}'),
      oddFailure,
    ],
  },
  consumes: [],
}
