import type { ServiceSpec } from '../service-spec.ts'
import { compute, hiccup, publish, query, say, sometimes, within } from '../step.ts'

const readAccount = query(
  'accounts-db',
  'SELECT accounts',
  'SELECT id, email, password_hash, plan, tenant_id FROM accounts WHERE id = $1',
  3,
)
const oddFailure = hiccup('java.lang.IllegalStateException', 'Session attribute "region" is missing')

/** Who the customers are. */
export const accounts: ServiceSpec = {
  name: 'accounts',
  runtime: 'java',
  version: '6.3.0',
  instances: 2,
  cores: 0.22,
  workers: 16,
  backlogMax: 32,
  memoryMiB: 512,
  pools: { 'accounts-db': 10, sessions: 12 },
  poolTimeoutMs: 2000,
  operations: {
    'POST /sessions': [
      readAccount,
      within('verify password', [compute(60)]),
      query('sessions', 'SET', 'SET session:? ? EX ?', 0.6),
      sometimes(0.1, [publish('mail.security')]),
      say('info', 'User {userId} signed in'),
      oddFailure,
    ],
    'GET /accounts/{userId}': [readAccount, compute(2), oddFailure],
  },
  consumes: [],
}
