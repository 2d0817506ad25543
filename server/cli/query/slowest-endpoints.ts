import type { Static } from 'typebox'
import type * as schemas from '../../http/schemas/diagnostics/slowest-endpoints.ts'
import type { ApiCommand } from '../api-command.ts'
import { type Column, formatTable } from '../table.ts'
import { type MomentFlags, momentOptions } from './moment-options.ts'

type Slowest = Static<typeof schemas.slowestEndpoints>

const COLUMNS: Column<Slowest['endpoints'][number]>[] = [
  { title: 'RANK', value: (endpoint) => endpoint.rank, align: 'right' },
  { title: 'SERVICE', value: (endpoint) => endpoint.serviceName },
  { title: 'ENDPOINT', value: (endpoint) => endpoint.operation },
  { title: 'P99', value: (endpoint) => `${endpoint.p99LatencyMs} ms`, align: 'right' },
  { title: 'P95', value: (endpoint) => `${endpoint.p95LatencyMs} ms`, align: 'right' },
  { title: 'AVERAGE', value: (endpoint) => `${endpoint.avgLatencyMs} ms`, align: 'right' },
  { title: 'REQUESTS', value: (endpoint) => endpoint.requestCount, align: 'right' },
  { title: 'ERRORS', value: (endpoint) => `${endpoint.errorRate} %`, align: 'right' },
]

export const slowestEndpoints: ApiCommand<Slowest, MomentFlags> = {
  usage: 'slowest-endpoints',
  about: 'the endpoints that take longest, by p99',
  onGrid: true,
  options: momentOptions(),
  ask: async ({ client, gridPath, flags: { at, window } }) =>
    client.get(`/apm/diagnostics/${await gridPath()}/slowest-endpoints`, { at, window }),
  show: ({ endpoints }) => (endpoints.length === 0 ? 'No endpoint was asked.' : formatTable(COLUMNS, endpoints)),
}
