import Type from 'typebox'
import { HEALTH_STATUSES } from '../../../diagnostics/health-status.ts'
import { fields } from '../values.ts'

const errorRate = Type.Number({ description: 'Percent of the requests.', examples: [0.42] })

export const serviceName = Type.String({
  description: 'A service by its exact name, percent-encoded: `/` is `%2F`.',
  minLength: 1,
  examples: ['checkout'],
})

export const serviceDetail = fields({
  serviceName: Type.String({ examples: ['checkout'] }),
  status: Type.Enum(HEALTH_STATUSES, {
    description:
      'As in the health overview; without requests `unhealthy` where callers fail to reach it, else `unknown`.',
  }),
  apdex: Type.Number({ description: '0 to 1; 1 where nobody asked anything.', examples: [0.97] }),
  errorRate,
  requestCount: Type.Integer({ examples: [10_622] }),
  endpoints: Type.Array(
    fields({
      operation: Type.String({ examples: ['POST /orders'] }),
      requestCount: Type.Integer({ examples: [5310] }),
      errorRate,
      avgLatencyMs: Type.Number({ examples: [38.51] }),
      p95LatencyMs: Type.Number({ examples: [120.07] }),
    }),
    { description: 'At most 100, most used first.' },
  ),
  topErrors: Type.Array(
    fields({
      exceptionType: Type.String({
        description: 'Of the exception that was recorded, else `error.type`, else the HTTP or gRPC status, else empty.',
        examples: ['java.net.SocketTimeoutException'],
      }),
      message: Type.String({
        description:
          'Messages that differ only in ids, numbers and quoted values are one, in which `*` stands for what differs. At most 500 characters.',
        examples: ['order * was not answered in 2000 ms'],
      }),
      count: Type.Integer({ examples: [31] }),
      percentage: Type.Number({ description: 'Of all errors of the service.', examples: [68.89] }),
    }),
    {
      description:
        'At most 10, most frequent first. A failed span under another one of the service and trace is the same error, and counts once. Of more than 20,000 failed spans the newest count.',
    },
  ),
  dependencies: Type.Array(
    fields({
      name: Type.String({ examples: ['postgresql/orders'] }),
      status: Type.Enum(HEALTH_STATUSES, {
        description:
          'By the rules for services, on the calls as this service saw them; their average stands for the latency of each.',
      }),
      errorRate: Type.Number({ description: 'Percent of the calls.', examples: [0.1] }),
      avgLatencyMs: Type.Number({ examples: [4.73] }),
    }),
    { description: 'What the service called, most used first.' },
  ),
})
