import type { Static } from 'typebox'
import { mergePatterns } from '../../diagnostics/log-patterns.ts'
import type { LogRecord } from '../../domain/log-record.ts'
import { wordsOf } from '../../domain/word-pattern.ts'
import type { LogFilter, TelemetryReader } from '../../storage/telemetry-store.ts'
import { READS } from '../access.ts'
import type { Routes } from '../endpoint.ts'
import { logDetailAnswer, logPatternItem, logSearchItem } from '../log-answers.ts'
import { pagingOf } from '../paging.ts'
import { Problem, type ProblemKind } from '../problem.ts'
import * as schemas from '../schemas/logs.ts'
import { textOfTags } from '../text-of-tags.ts'
import { timeRange } from '../time-range.ts'

const PREFIX = '/apm/logs/{gridSecondaryId}'
const OPTIONS_MAX = 1000
/** Comparing them with each other takes a second at worst. */
const PATTERNS_MAX = 5000
const SPAN_ID_LENGTH = 16

/** What the endpoints of this group have in common. */
const READING = { tag: 'Logs', access: READS, method: 'GET' } as const

export function registerLogs({ onGrid }: Routes): void {
  onGrid(
    {
      ...READING,
      method: 'POST',
      path: PREFIX,
      summary: 'Search logs',
      description: 'Entries that match all filters, newest first. Past the last page the items are empty.',
      body: schemas.logListFilter,
      response: schemas.logSearchResult,
    },
    async ({ reader, body }) => {
      const { page, pageSize, portion } = pagingOf(body)
      const { items, totalCount } = await reader.searchLogs(filterOf(body, 'invalid-body'), portion)
      return { items: items.map(logSearchItem), totalCount, page, pageSize }
    },
  )

  onGrid(
    {
      ...READING,
      path: `${PREFIX}/details/{id}`,
      summary: 'Get a log entry',
      description: 'By its own id, or by the id of a span: then the first entry that was written in the span.',
      params: { id: schemas.logId },
      problems: ['unknown-log'],
      response: schemas.logDetail,
    },
    async ({ reader, params }) => logDetailAnswer(await knownLog(reader, params.id.toLowerCase())),
  )

  onGrid(
    {
      ...READING,
      path: `${PREFIX}/patterns`,
      summary: 'List log patterns',
      description: `What the logs of a range say, by statement: entries of one service and level whose bodies differ only in their variable parts are one pattern, shown with its newest entry. Of the ${PATTERNS_MAX.toLocaleString('en')} most common texts.`,
      query: schemas.logPatternQuery,
      response: schemas.logPatternResult,
    },
    async ({ reader, query }) => {
      const { page, pageSize, portion } = pagingOf(query)
      const filter = filterOf(query, 'invalid-parameter')
      const patterns = mergePatterns(await reader.logPatterns(filter, PATTERNS_MAX))
      const shown = patterns.slice(portion.offset, portion.offset + portion.limit)
      const newest = await reader.newestOfPatterns(
        filter,
        shown.map((pattern) => pattern.newest),
      )
      const items = shown.map((pattern, i) => logPatternItem(pattern, newest[i]))
      return { items, totalCount: patterns.length, page, pageSize }
    },
  )

  onGrid(
    {
      ...READING,
      path: `${PREFIX}/filters`,
      summary: 'List log filter options',
      description: 'Values that are present in the logs of the Grid.',
      response: schemas.logFilterOptions,
    },
    ({ reader }) => reader.logFilterOptions(OPTIONS_MAX),
  )
}

async function knownLog(reader: TelemetryReader, id: string): Promise<LogRecord> {
  const isOfSpan = id.length === SPAN_ID_LENGTH
  const log = isOfSpan ? await reader.firstLogOfSpan(id) : await reader.log(id)
  if (log) return log
  throw new Problem('unknown-log', `This Grid has no log entry ${isOfSpan ? 'of the span ' : ''}${id}.`)
}

function filterOf(asked: Static<typeof schemas.logListFilter>, problem: ProblemKind): LogFilter {
  const { rangeStart, rangeEnd, severityLevel, serviceName, body: words, traceId, spanId, attributes } = asked
  return {
    window: timeRange(['rangeStart', rangeStart], ['rangeEnd', rangeEnd], problem),
    ...(severityLevel !== undefined && { severityLevel }),
    ...(serviceName !== undefined && { serviceName }),
    ...(words !== undefined && { words: wordsOf(words) }),
    ...(traceId !== undefined && { traceId: traceId.toLowerCase() }),
    ...(spanId !== undefined && { spanId: spanId.toLowerCase() }),
    ...(attributes !== undefined && { attributes: textOfTags(attributes) }),
  }
}
