import type { Static } from 'typebox'
import { traceErrors } from '../../diagnostics/trace-errors.ts'
import type { Span } from '../../domain/span.ts'
import type { TelemetryReader, TraceFilter } from '../../storage/telemetry-store.ts'
import { READS } from '../access.ts'
import { attributesAnswer } from '../attributes-answer.ts'
import type { Routes } from '../endpoint.ts'
import { pagingOf } from '../paging.ts'
import { Problem } from '../problem.ts'
import * as schemas from '../schemas/traces.ts'
import { spanId, traceId } from '../schemas/values.ts'
import { textOfTags } from '../text-of-tags.ts'
import { timeRange } from '../time-range.ts'
import { errorItem, eventItem, logItem, searchItem, spanDetailAnswer, spanListItem } from '../trace-answers.ts'

const PREFIX = '/apm/traces/{gridSecondaryId}'
const RECORDS_MAX = 100_000
const OPTIONS_MAX = 1000

/** What the endpoints of this group have in common. */
const READING = { tag: 'Traces', access: READS, method: 'GET' } as const
const OF_SPAN = { ...READING, params: { spanId }, problems: ['unknown-span' as const] }
const OF_TRACE = { ...READING, params: { traceId }, problems: ['unknown-trace' as const] }

export function registerTraces({ onGrid }: Routes): void {
  onGrid(
    {
      ...READING,
      method: 'POST',
      path: PREFIX,
      summary: 'Search traces',
      description:
        'One item per trace: its earliest span that matches all filters, or without filters its root. Past the last page the items are empty.',
      body: schemas.traceListFilter,
      response: schemas.traceSearchResult,
    },
    async ({ reader, body }) => {
      const { page, pageSize, portion } = pagingOf(body)
      const { items, totalCount } = await reader.searchTraces({ ...filterOf(body), ...portion })
      return { items: items.map(searchItem), totalCount, page, pageSize }
    },
  )

  onGrid(
    {
      ...OF_SPAN,
      path: `${PREFIX}/details/{spanId}`,
      summary: 'Get a span',
      description: 'Attributes of the resource are included where the span has none of the same name.',
      response: schemas.spanDetail,
    },
    async ({ reader, params }) => spanDetailAnswer(await knownSpan(reader, params.spanId)),
  )

  onGrid(
    {
      ...READING,
      path: `${PREFIX}/filters`,
      summary: 'List trace filter options',
      description: 'Values that are present in the data of the Grid.',
      response: schemas.traceFilterOptions,
    },
    async ({ reader }) => {
      const options = await reader.traceFilterOptions(OPTIONS_MAX)
      return { ...options, statusValues: options.statusValues.toSorted() }
    },
  )

  onGrid(
    {
      ...OF_TRACE,
      path: `${PREFIX}/correlations/{traceId}/spans`,
      summary: 'List the spans of a trace',
      description:
        'Ascending by start. At most the first 100,000; the header `X-Total-Count` says how many there are. Empty for a trace of which only logs are known.',
      response: schemas.traceSpanList,
    },
    async ({ reader, params, header }) => {
      const id = params.traceId.toLowerCase()
      const { spans, totalCount } = await reader.traceSpans(id, RECORDS_MAX)
      if (spans.length === 0) await requireLogs(reader, id)
      header('x-total-count', String(totalCount))
      return { traceId: id, spans: spans.map(spanListItem) }
    },
  )

  onGrid(
    {
      ...OF_TRACE,
      path: `${PREFIX}/correlations/{traceId}/logs`,
      summary: 'List the logs of a trace',
      description: 'Ascending by time; at most the first 100,000.',
      response: schemas.traceLogs,
    },
    async ({ reader, params }) => {
      const id = params.traceId.toLowerCase()
      const logs = await reader.traceLogs(id, RECORDS_MAX)
      if (logs.length === 0) await requireSpans(reader, id)
      return { traceId: id, logs: logs.map(logItem) }
    },
  )

  onGrid(
    {
      ...OF_TRACE,
      path: `${PREFIX}/correlations/{traceId}/errors`,
      summary: 'List the errors of a trace',
      description:
        'Exception events of spans, failed spans without one, and log records with exception attributes, ascending by time. The same span and exception type is one error, in which the fields of the event win.',
      response: schemas.traceErrors,
    },
    async ({ reader, params }) => {
      const id = params.traceId.toLowerCase()
      const [spans, logs] = await Promise.all([
        reader.traceErrorSpans(id, RECORDS_MAX),
        reader.traceLogs(id, RECORDS_MAX),
      ])
      if (spans.length === 0 && logs.length === 0) await requireSpans(reader, id)
      return { traceId: id, errors: traceErrors(spans, logs).map(errorItem) }
    },
  )

  onGrid(
    {
      ...OF_SPAN,
      path: `${PREFIX}/spans/{spanId}/tags`,
      summary: 'List the tags of a span',
      description: "The span's own attributes, without those of its resource.",
      response: schemas.spanTags,
    },
    async ({ reader, params }) => {
      const span = await knownSpan(reader, params.spanId)
      return { spanId: span.spanId, tags: attributesAnswer(span.attributes) }
    },
  )

  onGrid(
    {
      ...OF_SPAN,
      path: `${PREFIX}/spans/{spanId}/events`,
      summary: 'List the events of a span',
      response: schemas.spanEvents,
    },
    async ({ reader, params }) => {
      const span = await knownSpan(reader, params.spanId)
      return { spanId: span.spanId, events: span.events.map(eventItem) }
    },
  )
}

async function knownSpan(reader: TelemetryReader, id: string): Promise<Span> {
  const span = await reader.span(id.toLowerCase())
  if (!span) throw new Problem('unknown-span', `This Grid has no span ${id.toLowerCase()}.`)
  return span
}

/** A trace may be known by its logs alone. */
async function requireLogs(reader: TelemetryReader, id: string): Promise<void> {
  if ((await reader.traceLogs(id, 1)).length === 0) throw unknownTrace(id)
}

async function requireSpans(reader: TelemetryReader, id: string): Promise<void> {
  if ((await reader.traceSpans(id, 1)).totalCount === 0) throw unknownTrace(id)
}

function unknownTrace(id: string): Problem {
  return new Problem('unknown-trace', `This Grid has neither spans nor logs of the trace ${id}.`)
}

function filterOf(body: Static<typeof schemas.traceListFilter>): Omit<TraceFilter, 'offset' | 'limit'> {
  const { rangeStart, rangeEnd, serviceName, operationName, minDuration, maxDuration, status, tags } = body
  if (minDuration !== undefined && maxDuration !== undefined && maxDuration < minDuration) {
    throw new Problem('invalid-body', 'maxDuration must be at least minDuration.')
  }
  return {
    window: timeRange(['rangeStart', rangeStart], ['rangeEnd', rangeEnd], 'invalid-body'),
    ...(serviceName !== undefined && { serviceName }),
    ...(operationName !== undefined && { operationName }),
    ...(minDuration !== undefined && { minDurationMs: minDuration }),
    ...(maxDuration !== undefined && { maxDurationMs: maxDuration }),
    ...(status !== undefined && { status }),
    ...(tags !== undefined && { tags: textOfTags(tags) }),
  }
}
