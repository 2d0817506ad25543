import Type from 'typebox'
import { HEALTH_STATUSES } from '../../../diagnostics/health-status.ts'
import { datetimeOut, fields } from '../values.ts'

const status = Type.Enum(HEALTH_STATUSES)

export const healthOverview = fields({
  overallStatus: Type.Enum(HEALTH_STATUSES, {
    description: 'That of the worst service, in the order unhealthy, degraded, unknown, healthy; unknown without any.',
  }),
  timestamp: datetimeOut('The moment that was asked about.'),
  services: Type.Array(
    fields({
      serviceName: Type.String({ examples: ['checkout'] }),
      status,
      errorRate: Type.Number({ description: 'Percent of the requests.', examples: [0.42] }),
      apdex: Type.Number({ description: '0 to 1; 1 where nobody asked anything.', examples: [0.97] }),
      requestCount: Type.Integer(),
      avgLatencyMs: Type.Number({ examples: [38.51] }),
    }),
    { description: 'Worst first, then by the number of requests.' },
  ),
})
