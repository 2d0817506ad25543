import { Option } from 'commander'
import type { Static } from 'typebox'
import type * as schemas from '../../http/schemas/traces.ts'
import type { ApiCommand } from '../api-command.ts'
import { keyValue, wholeNumber } from '../option-parsers.ts'
import { type Column, formatTable } from '../table.ts'
import { type RangeFlags, rangeOf, rangeOptions } from './range-options.ts'

type Found = Static<typeof schemas.traceSearchResult>

export interface SearchFlags extends RangeFlags {
  service?: string
  operation?: string
  minDuration?: number
  maxDuration?: number
  status?: string
  tag?: Record<string, string>
  page?: number
  pageSize?: number
}

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
    ...rangeOptions('spans that begin'),
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
  const { service, operation, minDuration, maxDuration, status, tag, page, pageSize } = flags
  return {
    ...rangeOf(flags, nowMs),
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
