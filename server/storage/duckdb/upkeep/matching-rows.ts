import type { RecordCounts, RecordMatch } from '../../../domain/record-match.ts'
import type { Parameters, Session } from '../engine/session.ts'
import type { HourFile } from '../files/hour-file.ts'
import { equals, mayHold, type Tag, tagParameters } from '../traces/tag-conditions.ts'

const TABLES = ['gone_origins', 'gone_spans', 'gone_logs', 'gone_series', 'gone_names']
const NAMED_BY_SPANS = 'unnest([service_no, operation_no, callee_no, called_no, dependency_no])'

/**
 * Notes, in temporary tables of the session, what of an hour has to go: rows that match, and origins that match and that no other
 * row has.
 */
export async function noteMatchingRows(session: Session, { alias }: HourFile, match: RecordMatch): Promise<void> {
  const tags = match.values.map((value): Tag => [match.attribute, value])
  const parameters = tagParameters(tags)
  const anyValue = (condition: (i: number, value: string) => string) =>
    `(${tags.map(([, value], i) => condition(i, value)).join(' OR ')})`
  const matchesItself = anyValue((i, value) => `(${mayHold('attributes', i, value)}${carries('attributes', i, value)})`)
  const ofResource = `origin_no IN (SELECT origin_no FROM matching_origins)`
  const only = (signal: RecordMatch['signals'][number]) => (match.signals.includes(signal) ? 'true' : 'false')
  const note = (table: string, sql: string) =>
    session.run(`CREATE OR REPLACE TEMP TABLE ${table} AS ${sql}`, parameters)

  await note(
    'matching_origins',
    `SELECT origin_no FROM ${alias}.origins WHERE ${anyValue((i, value) => carries('resource', i, value))}`,
  )
  const inParts = ['events', 'links'].map((json) => anyValue((i, value) => inElements(json, i, value)))
  await note(
    'gone_spans',
    `SELECT s.rowid AS row, trace_no, span_id FROM ${alias}.spans s
     WHERE ${only('traces')} AND (${[ofResource, matchesItself, ...inParts].join(' OR ')})`,
  )
  await note(
    'gone_logs',
    `SELECT rowid AS row FROM ${alias}.logs WHERE ${only('logs')} AND (${ofResource} OR ${matchesItself})`,
  )
  await note(
    'gone_series',
    `SELECT series_no FROM ${alias}.series WHERE ${only('metrics')} AND (${ofResource} OR ${matchesItself})`,
  )
  await note(
    'gone_origins',
    `SELECT origin_no FROM matching_origins WHERE origin_no NOT IN (
       SELECT origin_no FROM ${alias}.spans WHERE rowid NOT IN (SELECT row FROM gone_spans) UNION
       SELECT origin_no FROM ${alias}.logs WHERE rowid NOT IN (SELECT row FROM gone_logs) UNION
       SELECT origin_no FROM ${alias}.series WHERE series_no NOT IN (SELECT series_no FROM gone_series))`,
  )
}

/** Notes names that hold the value and that nothing is called but what was noted before. */
export async function noteMatchingNames(session: Session, { alias }: HourFile, { values }: RecordMatch): Promise<void> {
  const holdsValue = values.map((_, i) => `($value${i} <> '' AND contains(name, $value${i}))`).join(' OR ')
  await session.run(
    `CREATE OR REPLACE TEMP TABLE gone_names AS SELECT name_no, name FROM ${alias}.names WHERE (${holdsValue})
     AND name_no IN (
       SELECT ${NAMED_BY_SPANS} FROM ${alias}.spans WHERE rowid IN (SELECT row FROM gone_spans) UNION
       SELECT service_no FROM ${alias}.origins WHERE origin_no IN (SELECT origin_no FROM gone_origins))
     AND name_no NOT IN (SELECT name_no FROM (
       SELECT ${NAMED_BY_SPANS} AS name_no FROM ${alias}.spans WHERE rowid NOT IN (SELECT row FROM gone_spans) UNION
       SELECT service_no FROM ${alias}.origins WHERE origin_no NOT IN (SELECT origin_no FROM gone_origins))
       WHERE name_no IS NOT NULL)`,
    Object.fromEntries(values.map((value, i) => [`value${i}`, value])),
  )
}

/** Whether any of these columns of attributes has the value. */
export function carriesAny(columns: string[], match: RecordMatch): { condition: string; parameters: Parameters } {
  const tags = match.values.map((value): Tag => [match.attribute, value])
  const conditions = columns.flatMap((column) => tags.map(([, value], i) => carries(column, i, value)))
  return { condition: conditions.join(' OR '), parameters: tagParameters(tags) }
}

/** Whether attributes have the value, by itself or in a list. */
function carries(json: string, i: number, value: string): string {
  const inList = `list_contains(TRY_CAST(json_extract(nullif(${json}, ''), $path${i}) AS VARCHAR[]), $value${i})`
  return `(coalesce(${equals(json, i, value)}, false) OR coalesce(${inList}, false))`
}

/** In the attributes of any element of a list. */
function inElements(json: string, i: number, value: string): string {
  const attributes = `TRY_CAST(json_extract(nullif(${json}, ''), '$[*].attributes') AS VARCHAR[])`
  return `(${mayHold(json, i, value)}len(list_filter(${attributes}, lambda a: ${carries('a', i, value)})) > 0)`
}

export async function countMatchingRows(
  session: Session,
  { alias }: HourFile,
): Promise<RecordCounts & { any: boolean }> {
  const [found] = await session.rows(
    `SELECT (SELECT count(*) FROM gone_spans) AS spans, (SELECT count(*) FROM gone_logs) AS logs,
       (SELECT count(*) FROM ${alias}.points WHERE series_no IN (SELECT series_no FROM gone_series)) AS points,
       (SELECT count(*) FROM gone_series) + (SELECT count(*) FROM gone_origins) AS others`,
  )
  const count = (column: string) => Number(found?.[column])
  const counts = { spans: count('spans'), logRecords: count('logs'), metricPoints: count('points') }
  return { ...counts, any: counts.spans + counts.logRecords + count('others') > 0 }
}

export async function forgetMatchingRows(session: Session): Promise<void> {
  for (const table of ['matching_origins', ...TABLES]) await session.evenIfStopped(`DROP TABLE IF EXISTS temp.${table}`)
}

/** What is left of an hour without the rows that were noted. */
export function keptWithoutMatching(from: string): KeptRows {
  const spans = 'rowid NOT IN (SELECT row FROM gone_spans)'
  const logs = 'rowid NOT IN (SELECT row FROM gone_logs)'
  const origins = 'origin_no NOT IN (SELECT origin_no FROM gone_origins)'
  const series = 'series_no NOT IN (SELECT series_no FROM gone_series)'
  const goneIds = `(SELECT trace_id, span_id FROM gone_spans JOIN ${from}.traces USING (trace_no))`
  const failedSpans = `(trace_key, span_id) NOT IN (SELECT hash(trace_id), span_id FROM ${goneIds})`
  const conditions: Record<string, string> = {
    spans,
    logs,
    series,
    points: series,
    origins,
    minute_origins: origins,
    request_corrections: origins,
    traces: `trace_no NOT IN (SELECT trace_no FROM gone_spans)
      OR trace_no IN (SELECT trace_no FROM ${from}.spans WHERE ${spans})`,
    failed_spans: failedSpans,
    tellings: `telling IN (SELECT telling FROM ${from}.failed_spans WHERE ${failedSpans})`,
    drawn_spans: `(trace_id, span_id) NOT IN (SELECT trace_id, span_id FROM ${goneIds})`,
    templates: `template_no IN (SELECT template_no FROM ${from}.logs WHERE ${logs})`,
    usage: 'name NOT IN (SELECT name FROM gone_names)',
  }
  return {
    where: (table) => conditions[table] ?? 'true',
    name: `CASE WHEN name_no IN (SELECT name_no FROM gone_names) THEN '[deleted ' || name_no || ']' ELSE name END`,
    sums: 'changed',
    finish: (session, to) => putTracesRight(session, to),
  }
}

async function putTracesRight(session: Session, to: string): Promise<void> {
  await session.run(
    `UPDATE ${to}.traces AS t SET first_ns = s.first_ns, last_ns = s.last_ns, root_ns = s.root_ns FROM (
       SELECT trace_no, min(start_ns) AS first_ns, max(start_ns) AS last_ns,
         min(start_ns) FILTER (parent_id = 0) AS root_ns
       FROM ${to}.spans WHERE trace_no IN (SELECT trace_no FROM gone_spans) GROUP BY trace_no) s
     WHERE s.trace_no = t.trace_no`,
  )
}

/** What of an hour is copied when it is rewritten. */
export interface KeptRows {
  /** A condition on the rows of a table. */
  where(table: string): string
  /** What a name is called afterwards. */
  name: string
  /** Whether sums that are in memory hold for the copy too. */
  sums: 'same' | 'changed'
  finish(session: Session, to: string): Promise<void>
}

export const EVERYTHING: KeptRows = {
  where: () => 'true',
  name: 'name',
  sums: 'same',
  finish: async () => undefined,
}
