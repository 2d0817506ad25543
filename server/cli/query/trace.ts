import type { Static } from 'typebox'
import type * as schemas from '../../http/schemas/traces.ts'
import type { ApiCommand, Asked } from '../api-command.ts'
import { type Column, formatTable } from '../table.ts'
import { type TreeSpan, treeOf } from './span-tree.ts'

type Spans = Static<typeof schemas.traceSpanList>
type Logs = Static<typeof schemas.traceLogs>
type Errors = Static<typeof schemas.traceErrors>
type FilterOptions = Static<typeof schemas.traceFilterOptions>

const SPAN_COLUMNS: Column<TreeSpan<Spans['spans'][number]>>[] = [
  { title: 'SPAN', value: ({ span }) => span.spanId },
  { title: 'OFFSET', value: ({ offsetMs }) => `${offsetMs} ms`, align: 'right' },
  { title: 'DURATION', value: ({ span }) => `${span.duration} ms`, align: 'right' },
  { title: 'STATUS', value: ({ span }) => span.status },
  { title: 'KIND', value: ({ span }) => span.spanKind },
  {
    title: 'SERVICE AND OPERATION',
    value: ({ span, depth }) => `${'  '.repeat(depth)}${span.serviceName}: ${span.operationName}`,
  },
]

export const trace: ApiCommand<Spans> = {
  usage: 'trace <traceId>',
  about: 'the spans of a trace, each under the one that caused it',
  onGrid: true,
  ask: (asked) => ofTrace(asked, 'spans'),
  show: ({ spans }) =>
    spans.length === 0 ? 'Only logs are known of this trace.' : formatTable(SPAN_COLUMNS, treeOf(spans)),
}

const LOG_COLUMNS: Column<Logs['logs'][number]>[] = [
  { title: 'TIME', value: (log) => log.timestamp },
  { title: 'SEVERITY', value: (log) => log.severityLevel },
  { title: 'SERVICE', value: (log) => log.serviceName },
  { title: 'SPAN', value: (log) => log.spanId || null },
  { title: 'BODY', value: (log) => log.body },
]

export const traceLogs: ApiCommand<Logs> = {
  usage: 'trace-logs <traceId>',
  about: 'the logs of a trace',
  onGrid: true,
  ask: (asked) => ofTrace(asked, 'logs'),
  show: ({ logs }) => (logs.length === 0 ? 'This trace has no logs.' : formatTable(LOG_COLUMNS, logs)),
}

const ERROR_COLUMNS: Column<Errors['errors'][number]>[] = [
  { title: 'TIME', value: (error) => error.timestamp },
  { title: 'SPAN', value: (error) => error.spanId || null },
  { title: 'SERVICE', value: (error) => error.serviceName },
  { title: 'TYPE', value: (error) => error.exceptionType },
  { title: 'MESSAGE', value: (error) => error.message },
]

export const traceErrors: ApiCommand<Errors> = {
  usage: 'trace-errors <traceId>',
  about: 'the errors of a trace',
  onGrid: true,
  ask: (asked) => ofTrace(asked, 'errors'),
  show: ({ errors }) => (errors.length === 0 ? 'This trace has no errors.' : formatTable(ERROR_COLUMNS, errors)),
}

export const filters: ApiCommand<FilterOptions> = {
  usage: 'filters',
  about: 'services, operations, statuses and tags that traces can be searched by',
  onGrid: true,
  ask: async ({ client, gridPath }) => client.get(`/apm/traces/${await gridPath()}/filters`),
  show: ({ serviceNames, operationNames, statusValues, tagKeys }) =>
    formatTable<readonly [string, string]>(
      [
        { title: 'FILTER', value: ([filter]) => filter },
        { title: 'VALUE', value: ([, value]) => value },
      ],
      [
        ...serviceNames.map((name) => ['service', name] as const),
        ...operationNames.map((name) => ['operation', name] as const),
        ...statusValues.map((status) => ['status', status] as const),
        ...tagKeys.map((key) => ['tag', key] as const),
      ],
    ),
}

async function ofTrace<Answer>(
  { client, gridPath, args: [traceId = ''] }: Asked<object>,
  what: string,
): Promise<Answer> {
  return client.get(`/apm/traces/${await gridPath()}/correlations/${encodeURIComponent(traceId)}/${what}`)
}
