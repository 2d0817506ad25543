import type { Static } from 'typebox'
import type * as schemas from '../../http/schemas/diagnostics/service.ts'
import type { ApiCommand } from '../api-command.ts'
import { type Column, formatFields, formatTable } from '../table.ts'
import { type MomentFlags, momentOptions } from './moment-options.ts'

type ServiceDetail = Static<typeof schemas.serviceDetail>

const ENDPOINT_COLUMNS: Column<ServiceDetail['endpoints'][number]>[] = [
  { title: 'ENDPOINT', value: (endpoint) => endpoint.operation },
  { title: 'REQUESTS', value: (endpoint) => endpoint.requestCount, align: 'right' },
  { title: 'ERRORS', value: (endpoint) => `${endpoint.errorRate} %`, align: 'right' },
  { title: 'AVERAGE', value: (endpoint) => `${endpoint.avgLatencyMs} ms`, align: 'right' },
  { title: 'P95', value: (endpoint) => `${endpoint.p95LatencyMs} ms`, align: 'right' },
]

const ERROR_COLUMNS: Column<ServiceDetail['topErrors'][number]>[] = [
  { title: 'ERRORS', value: (error) => error.count, align: 'right' },
  { title: 'SHARE', value: (error) => `${error.percentage} %`, align: 'right' },
  { title: 'EXCEPTION', value: (error) => error.exceptionType },
  { title: 'MESSAGE', value: (error) => error.message },
]

const DEPENDENCY_COLUMNS: Column<ServiceDetail['dependencies'][number]>[] = [
  { title: 'DEPENDENCY', value: (dependency) => dependency.name },
  { title: 'STATUS', value: (dependency) => dependency.status },
  { title: 'ERRORS', value: (dependency) => `${dependency.errorRate} %`, align: 'right' },
  { title: 'AVERAGE', value: (dependency) => `${dependency.avgLatencyMs} ms`, align: 'right' },
]

export const service: ApiCommand<ServiceDetail, MomentFlags> = {
  usage: 'service <name>',
  about: 'a service with its endpoints, errors and dependencies',
  onGrid: true,
  options: momentOptions(),
  ask: async ({ client, gridPath, args: [name = ''], flags: { at, window } }) =>
    client.get(`/apm/diagnostics/${await gridPath()}/service/${encodeURIComponent(name)}`, { at, window }),
  show: (detail) =>
    [
      formatFields([
        ['Service', detail.serviceName],
        ['Status', detail.status],
        ['Apdex', detail.apdex.toFixed(2)],
        ['Errors', `${detail.errorRate} %`],
        ['Requests', detail.requestCount],
      ]),
      tableUnlessEmpty(ENDPOINT_COLUMNS, detail.endpoints),
      tableUnlessEmpty(ERROR_COLUMNS, detail.topErrors),
      tableUnlessEmpty(DEPENDENCY_COLUMNS, detail.dependencies),
    ]
      .filter((part) => part !== '')
      .join('\n\n'),
}

function tableUnlessEmpty<Row>(columns: Column<Row>[], rows: Row[]): string {
  return rows.length === 0 ? '' : formatTable(columns, rows)
}
