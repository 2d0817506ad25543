import type { ServiceSpec } from '../service-spec.ts'
import { compute, external, say, within } from '../step.ts'

const sendMail = [
  within('render template', [compute(6)]),
  external('mail-delivery', 'POST /v3/messages', { timeoutMs: 5000, retries: 2 }),
]

/** A worker without an interface: every mail that the shop sends. */
export const notifications: ServiceSpec = {
  name: 'notifications',
  runtime: 'python',
  version: '0.31.0',
  instances: 2,
  cores: 0.2,
  workers: 8,
  backlogMax: 8,
  memoryMiB: 256,
  pools: {},
  poolTimeoutMs: 1000,
  operations: {},
  consumes: [
    {
      topic: 'orders.placed',
      concurrency: 4,
      steps: [...sendMail, say('info', 'Confirmation mailed for order {orderId}')],
    },
    {
      topic: 'shipments.created',
      concurrency: 4,
      steps: [...sendMail, say('info', 'Tracking mailed for order {orderId}')],
    },
    {
      topic: 'mail.security',
      concurrency: 2,
      steps: [...sendMail, say('info', 'Sign-in notice mailed to user {userId}')],
    },
  ],
}
