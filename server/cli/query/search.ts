import { Option } from 'commander'
import type { Static } from 'typebox'
import type * as schemas from '../../http/schemas/traces.ts'
import type { ApiCommand } from '../api-command.ts'
import { WrongUsage } from '../failure.ts'
import { durationMs, keyValue, wholeNumber } from '../option-parsers.ts'
import { type Column, formatTable } from '../table.ts'

type Found = Static<typeof schemas.traceSearchResult>

export interface SearchFlags {
  since?: number
  from?: string
  to?: string
  service?: string
  operation?: string
  minDuration?: number
  maxDuration?: number
  status?: string
  tag?: Record<string, string>
  page?: number
  pageSize?: number
}

const SINCE_MS = 3_600_000

const COLUMNS: Column<Found['items'][number]>[] = [
  { title: 'START', value: (item) => item.startTime },
  { title: 'TRACE', value: (item) => item.traceId },
  { title: 'SERVICE', value: (item) => item.serviceName },
  { title: 'OPERATION', value: (item) => item.operationName },
  { title: 'STATUS', value: (item) => item.status },
  { title: 'DURATION', value: (item) => `${item.duration} ms`, align: 'right' },
]

export const search: ApiCommand<Found, SearchFlags> = {
  usage: 'search',
  about: 'find traces, newest first',
  onGrid: true,
  options: [
    new Option('--since <duration>', 'the last 90s, 15m, 2h, 7d; by default 1h').argParser(durationMs),
    new Option('--from <datetime>', 'instead: spans that begin at or after it (ISO 8601)').conflicts('since'),
    new Option('--to <datetime>', 'spans that begin before it; by default now').conflicts('since'),
    new Option('--service <name>', 'exactly this service'),
    new Option('--operation <name>', 'exactly this operation'),
    new Option('--min-duration <ms>', 'at least this long').argParser(wholeNumber(0)),
    new Option('--max-duration <ms>', 'at most this long').argParser(wholeNumber(0)),
    new Option('--status <status>', 'of the span').choices(['OK', 'ERROR']),
    new Option('--tag <key=value>', 'an attribute of the span or its resource; may be repeated').argParser(keyValue),
    new Option('--page <n>', 'by default 1').argParser(wholeNumber(1)),
    new Option('--page-size <n>', 'by default 20').argParser(wholeNumber(1, 100)),
  ],
  ask: async ({ client, gridPath, flags }) =>
    client.post(`/apm/traces/${await gridPath()}`, searchBody(flags, Date.now())),
  show({ items, totalCount, page, pageSize }) {
    if (totalCount === 0) return 'No trace matches.'
    const last = Math.ceil(totalCount / pageSize)
    if (items.length === 0) return `${tracesText(totalCount)}; the last page is ${last}.`
    return `${formatTable(COLUMNS, items)}\n\n${tracesText(totalCount)}, page ${page} of ${last}.`
  },
}

function tracesText(count: number): string {
  return count === 1 ? '1 trace matches' : `${count} traces match`
}

export function searchBody(flags: SearchFlags, nowMs: number): Static<typeof schemas.traceListFilter> {
  const {
    from,
    to,
    since = SINCE_MS,
    service,
    operation,
    minDuration,
    maxDuration,
    status,
    tag,
    page,
    pageSize,
  } = flags
  if (to !== undefined && from === undefined) throw new WrongUsage('--to needs --from as well.')
  return {
    rangeStart: from ?? new Date(nowMs - since).toISOString(),
    // What begins in this very millisecond is to be found too.
    rangeEnd: to ?? new Date(nowMs + 1).toISOString(),
    ...(service !== undefined && { serviceName: service }),
    ...(operation !== undefined && { operationName: operation }),
    ...(minDuration !== undefined && { minDuration }),
    ...(maxDuration !== undefined && { maxDuration }),
    ...(isStatus(status) && { status }),
    ...(tag !== undefined && { tags: tag }),
    ...(page !== undefined && { page }),
    ...(pageSize !== undefined && { pageSize }),
  }
}

function isStatus(status: string | undefined): status is 'OK' | 'ERROR' {
  return status === 'OK' || status === 'ERROR'
}
