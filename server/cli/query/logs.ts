import { Option } from 'commander'
import type { Static } from 'typebox'
import { SEVERITY_LEVELS, type SeverityLevel } from '../../domain/log-record.ts'
import type * as schemas from '../../http/schemas/logs.ts'
import type { ApiCommand, Asked } from '../api-command.ts'
import { keyValue, wholeNumber } from '../option-parsers.ts'
import { type Column, formatFields, formatTable } from '../table.ts'
import { type RangeFlags, rangeOf, rangeOptions } from './range-options.ts'

type Found = Static<typeof schemas.logSearchResult>
type Detail = Static<typeof schemas.logDetail>
type Patterns = Static<typeof schemas.logPatternResult>
type FilterOptions = Static<typeof schemas.logFilterOptions>

interface PatternFlags extends RangeFlags {
  severity?: SeverityLevel
  service?: string
  page?: number
  pageSize?: number
}

export interface LogFlags extends PatternFlags {
  trace?: string
  span?: string
  attribute?: Record<string, string>
}

const COMMON_OPTIONS = [
  ...rangeOptions('entries written'),
  new Option('--severity <level>', 'exactly this level').choices(SEVERITY_LEVELS),
  new Option('--service <name>', 'exactly this service'),
  new Option('--page <n>', 'by default 1').argParser(wholeNumber(1)),
  new Option('--page-size <n>', 'by default 20').argParser(wholeNumber(1, 100)),
]

const COLUMNS: Column<Found['items'][number]>[] = [
  { title: 'TIME', value: (log) => log.timestamp },
  { title: 'SEVERITY', value: (log) => log.severityLevel },
  { title: 'SERVICE', value: (log) => log.serviceName },
  { title: 'ID', value: (log) => log.id },
  { title: 'BODY', value: (log) => log.body },
]

export const logs: ApiCommand<Found, LogFlags> = {
  usage: 'logs [words...]',
  about: 'find log entries in which all words occur, newest first',
  onGrid: true,
  options: [
    ...COMMON_OPTIONS,
    new Option('--trace <traceId>', 'of this trace'),
    new Option('--span <spanId>', 'of this span'),
    new Option('--attribute <key=value>', 'of the entry or its resource; may be repeated').argParser(keyValue),
  ],
  ask: async (asked) => asked.client.post(await logsPath(asked), logsBody(asked.args, asked.flags, Date.now())),
  show: (found) => paged(found, 'log entry', 'log entries', () => formatTable(COLUMNS, found.items)),
}

export function logsBody(
  words: readonly string[],
  flags: LogFlags,
  nowMs: number,
): Static<typeof schemas.logListFilter> {
  const { trace, span, attribute } = flags
  return {
    ...commonFilter(words, flags, nowMs),
    ...(trace !== undefined && { traceId: trace }),
    ...(span !== undefined && { spanId: span }),
    ...(attribute !== undefined && { attributes: attribute }),
  }
}

function commonFilter(words: readonly string[], flags: PatternFlags, nowMs: number) {
  const { severity, service, page, pageSize } = flags
  return {
    ...rangeOf(flags, nowMs),
    ...(words.length > 0 && { body: words.join(' ') }),
    ...(severity !== undefined && { severityLevel: severity }),
    ...(service !== undefined && { serviceName: service }),
    ...(page !== undefined && { page }),
    ...(pageSize !== undefined && { pageSize }),
  }
}

export const log: ApiCommand<Detail> = {
  usage: 'log <id>',
  about: 'a log entry by its id, or the first one of a span by the id of the span',
  onGrid: true,
  ask: async (asked) => asked.client.get(`${await logsPath(asked)}/details/${encodeURIComponent(asked.args[0] ?? '')}`),
  show: (detail) =>
    [
      formatFields([
        ['Id', detail.id],
        ['Time', detail.timestamp],
        ['Severity', `${detail.severityLevel} (${detail.severityNumber})`],
        ['Service', detail.serviceName],
        ['Trace', detail.traceId || null],
        ['Span', detail.spanId || null],
        ['Body', detail.body],
      ]),
      formatFields(Object.entries(detail.attributes)),
      formatFields(Object.entries(detail.resource)),
    ]
      .filter((part) => part !== '')
      .join('\n\n'),
}

const PATTERN_COLUMNS: Column<Patterns['items'][number]>[] = [
  { title: 'COUNT', value: (item) => String(item.count), align: 'right' },
  { title: 'SEVERITY', value: (item) => item.severityLevel },
  { title: 'SERVICE', value: (item) => item.serviceName },
  { title: 'LAST SEEN', value: (item) => item.lastSeen },
  { title: 'PATTERN', value: (item) => item.pattern },
]

export const logPatterns: ApiCommand<Patterns, PatternFlags> = {
  usage: 'log-patterns [words...]',
  about: 'what the logs say, by statement, most common first',
  onGrid: true,
  options: COMMON_OPTIONS,
  ask: async (asked) => {
    const filter = Object.entries(commonFilter(asked.args, asked.flags, Date.now()))
    const query = new URLSearchParams(Object.fromEntries(filter.map(([name, value]) => [name, String(value)])))
    return asked.client.get(`${await logsPath(asked)}/patterns?${query}`)
  },
  show: (found) => paged(found, 'pattern', 'patterns', () => formatTable(PATTERN_COLUMNS, found.items)),
}

export const logFilters: ApiCommand<FilterOptions> = {
  usage: 'log-filters',
  about: 'severities, services and attributes that logs can be searched by',
  onGrid: true,
  ask: async (asked) => asked.client.get(`${await logsPath(asked)}/filters`),
  show: ({ severityLevels, serviceNames, attributeKeys }) =>
    formatTable<readonly [string, string]>(
      [
        { title: 'FILTER', value: ([filter]) => filter },
        { title: 'VALUE', value: ([, value]) => value },
      ],
      [
        ...severityLevels.map((level) => ['severity', level] as const),
        ...serviceNames.map((name) => ['service', name] as const),
        ...attributeKeys.map((key) => ['attribute', key] as const),
      ],
    ),
}

async function logsPath({ gridPath }: Pick<Asked<object>, 'gridPath'>): Promise<string> {
  return `/apm/logs/${await gridPath()}`
}

interface Page {
  items: unknown[]
  totalCount: number
  page: number
  pageSize: number
}

function paged({ items, totalCount, page, pageSize }: Page, one: string, many: string, table: () => string): string {
  if (totalCount === 0) return `No ${one} matches.`
  const last = Math.ceil(totalCount / pageSize)
  const counted = totalCount === 1 ? `1 ${one} matches` : `${totalCount} ${many} match`
  if (items.length === 0) return `${counted}; the last page is ${last}.`
  return `${table()}\n\n${counted}, page ${page} of ${last}.`
}
