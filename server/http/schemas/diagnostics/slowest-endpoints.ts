import Type from 'typebox'
import { fields } from '../values.ts'

export const slowestEndpoints = fields({
  endpoints: Type.Array(
    fields({
      rank: Type.Integer({ description: '1 is the slowest.', examples: [1] }),
      serviceName: Type.String({ examples: ['checkout'] }),
      operation: Type.String({ examples: ['POST /orders'] }),
      avgLatencyMs: Type.Number({ examples: [388.51] }),
      p95LatencyMs: Type.Number({ examples: [1120.07] }),
      p99LatencyMs: Type.Number({ examples: [2048.3] }),
      requestCount: Type.Integer({ examples: [5310] }),
      errorRate: Type.Number({ description: 'Percent of the requests.', examples: [0.42] }),
    }),
    { description: 'At most 20, by p99; those with under 5 requests last.' },
  ),
})
