import type { SpanIds } from '../load/load-report.ts'
import { hourSql } from './hour-sql.ts'
import type { LoadedHour } from './loaded-hour.ts'

/** One kind of question, as it is asked over HTTP and as bare SQL on the hour's file. */
export interface Question {
  name: string
  /** The median over HTTP must be below, with ten million spans. */
  targetMs?: number
  /** Below `/apm/`. */
  path(gridId: string, ids: SpanIds): string
  /** A search is a POST with this body. */
  body?: object
  sql(ids: SpanIds): string[]
}

const POPULAR_USER = 'user-00002'
const POPULAR_OPERATION_MS = 100

/** All that the product is asked about traces, and the health overview. */
export function questionsAbout(hour: LoadedHour): Question[] {
  const range = { rangeStart: iso(hour.startMs), rangeEnd: iso(hour.endMs) }
  const sql = hourSql(hour)
  const search = (name: string, filter: object, sqlOfIt: string[], targetMs?: number): Question => ({
    name,
    ...(targetMs === undefined ? {} : { targetMs }),
    path: (gridId) => `traces/${gridId}`,
    body: { ...range, ...filter },
    sql: () => sqlOfIt,
  })
  const { service, entryService } = hour
  const userTag = { 'user.id': POPULAR_USER }
  return [
    {
      name: 'span by id',
      targetMs: 50,
      path: (gridId, { spanId }) => `traces/${gridId}/details/${spanId}`,
      sql: ({ spanId }) => [sql.span(spanId)],
    },
    {
      name: 'trace by id',
      targetMs: 50,
      path: (gridId, { traceId }) => `traces/${gridId}/correlations/${traceId}/spans`,
      sql: ({ traceId }) => [sql.trace(traceId)],
    },
    search('newest 20', {}, sql.newestTraces(), 300),
    search('newest 20 of a service in 2 %', { serviceName: service }, sql.newest(sql.ofService(service)), 100),
    search(
      'newest 20 of the entry service',
      { serviceName: entryService },
      sql.newest(sql.ofService(entryService)),
      300,
    ),
    search(
      'a tag within a service',
      { serviceName: service, tags: userTag },
      sql.newest(`${sql.ofService(service)} AND ${sql.ofUser(POPULAR_USER)}`),
      500,
    ),
    search(
      'a tag within the entry service',
      { serviceName: entryService, tags: userTag },
      sql.newest(`${sql.ofService(entryService)} AND ${sql.ofUser(POPULAR_USER)}`),
    ),
    search('status ERROR', { status: 'ERROR' }, sql.newest('status = 2')),
    search(
      'slow spans of a service',
      { serviceName: service, minDuration: POPULAR_OPERATION_MS },
      sql.newest(`${sql.ofService(service)} AND duration_ns >= ${POPULAR_OPERATION_MS}e6 - 5e5`),
    ),
    { name: 'filters', path: (gridId) => `traces/${gridId}/filters`, sql: () => [sql.filters()] },
    {
      name: 'health',
      path: (gridId) => `diagnostics/${gridId}/health?at=${iso(hour.endMs)}`,
      sql: () => [sql.health()],
    },
  ]
}

function iso(ms: number): string {
  return new Date(ms).toISOString()
}
