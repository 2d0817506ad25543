import type { Static } from 'typebox'
import type * as schemas from '../../http/schemas/diagnostics/services.ts'
import type { ApiCommand } from '../api-command.ts'
import { type Column, formatTable } from '../table.ts'
import { type MomentFlags, momentOptions } from './moment-options.ts'

type DependencyMap = Static<typeof schemas.dependencyMap>

const SERVICE_COLUMNS: Column<DependencyMap['services'][number]>[] = [
  { title: 'SERVICE', value: (service) => service.name },
  { title: 'TYPE', value: (service) => service.type },
  { title: 'REQUESTS', value: (service) => service.requestCount, align: 'right' },
  { title: 'ERRORS', value: (service) => `${service.errorRate} %`, align: 'right' },
]

const EDGE_COLUMNS: Column<DependencyMap['edges'][number]>[] = [
  { title: 'CALLER', value: (edge) => edge.source },
  { title: 'CALLS', value: (edge) => edge.target },
  { title: 'REQUESTS', value: (edge) => edge.requestCount, align: 'right' },
  { title: 'ERRORS', value: (edge) => `${edge.errorRate} %`, align: 'right' },
  { title: 'AVERAGE', value: (edge) => `${edge.avgLatencyMs} ms`, align: 'right' },
]

export const services: ApiCommand<DependencyMap, MomentFlags> = {
  usage: 'services',
  about: 'the services and who calls whom, most used first',
  onGrid: true,
  options: momentOptions(),
  ask: async ({ client, gridPath, flags: { at, window } }) =>
    client.get(`/apm/diagnostics/${await gridPath()}/services`, { at, window }),
  show({ services, edges }) {
    if (services.length === 0) return 'No service has sent anything.'
    const calls = edges.length === 0 ? 'Nobody calls anybody.' : formatTable(EDGE_COLUMNS, edges)
    return `${formatTable(SERVICE_COLUMNS, services)}\n\n${calls}`
  },
}
