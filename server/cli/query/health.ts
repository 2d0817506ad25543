import type { Static } from 'typebox'
import type * as schemas from '../../http/schemas/diagnostics/health.ts'
import type { ApiCommand } from '../api-command.ts'
import { type Column, formatTable } from '../table.ts'
import { type MomentFlags, momentOptions } from './moment-options.ts'

type Health = Static<typeof schemas.healthOverview>

const COLUMNS: Column<Health['services'][number]>[] = [
  { title: 'SERVICE', value: (service) => service.serviceName },
  { title: 'STATUS', value: (service) => service.status },
  { title: 'REQUESTS', value: (service) => service.requestCount, align: 'right' },
  { title: 'ERRORS', value: (service) => `${service.errorRate} %`, align: 'right' },
  { title: 'APDEX', value: (service) => service.apdex.toFixed(2), align: 'right' },
  { title: 'AVERAGE', value: (service) => `${service.avgLatencyMs} ms`, align: 'right' },
]

export const health: ApiCommand<Health, MomentFlags> = {
  usage: 'health',
  about: 'how every service is, worst first',
  onGrid: true,
  options: momentOptions(),
  ask: async ({ client, gridPath, flags: { at, window } }) =>
    client.get(`/apm/diagnostics/${await gridPath()}/health`, { at, window }),
  show({ overallStatus, timestamp, services }) {
    const summary = `${overallStatus} at ${timestamp}`
    return services.length === 0
      ? `${summary}: no service has sent anything`
      : `${summary}\n\n${formatTable(COLUMNS, services)}`
  },
}
