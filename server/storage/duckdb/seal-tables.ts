import { FIRST_CALLEES, relateCalls, relateRequests } from './kinship.ts'
import { ANSWERED } from './schema.ts'
import { nameCallees, sealAggregates } from './seal-aggregates.ts'
import { gatherKin } from './seal-kin.ts'
import { inPlace, type SealPlace } from './seal-place.ts'
import type { Session } from './session.ts'

const TIMES = { spans: 'start_ns', logs: 'time_ns', points: 'time_ns' } as const

/** Numbers the names and origins that the hour file does not know yet. */
export async function sealNames(session: Session, { open, file, rows, parameters }: SealPlace): Promise<void> {
  const used = Object.entries(TIMES)
    .filter(([table]) => rows[table as keyof typeof TIMES] > 0)
    .map(([table, time]) => `SELECT origin FROM ${open.alias}.${table} WHERE ${inPlace(time)}`)
  await session.run(
    `CREATE OR REPLACE TEMP TABLE place_origins AS
     SELECT DISTINCT ON (origin) * FROM ${open.alias}.origins WHERE origin IN (${used.join(' UNION ALL ')})`,
    parameters,
  )
  const operations =
    rows.spans > 0
      ? ['operation', 'called', 'dependency']
          .map((column) => `UNION SELECT ${column} FROM ${open.alias}.spans WHERE ${inPlace('start_ns')}`)
          .join(' ')
      : ''
  await session.run(
    `INSERT INTO ${file.alias}.names
     SELECT row_number() OVER () + (SELECT coalesce(max(name_no), 0) FROM ${file.alias}.names), name
     FROM (SELECT DISTINCT service AS name FROM place_origins ${operations})
     WHERE name NOT IN (SELECT name FROM ${file.alias}.names)`,
    parameters,
  )
  await session.run(
    `INSERT INTO ${file.alias}.origins
     SELECT row_number() OVER () + (SELECT coalesce(max(origin_no), 0) FROM ${file.alias}.origins), p.origin, n.name_no,
       p.resource, p.scope_name, p.scope_version
     FROM place_origins p JOIN ${file.alias}.names n ON n.name = p.service
     WHERE p.origin NOT IN (SELECT origin FROM ${file.alias}.origins)`,
  )
}

/**
 * Spans point at their traces by number. Those sealed before are left out. They stay in the order in which they came: sorting
 * them costs as much as everything else here together, and compaction does it for the whole hour.
 */
export async function sealSpans(session: Session, place: SealPlace): Promise<void> {
  const { alias } = place.file
  await numberTraces(session, place)
  await gatherKin(session, place)
  await relateRequests(session)
  await relateCalls(session)
  await nameCallees(session, place)
  await session.run(
    `CREATE OR REPLACE TEMP TABLE place_spans AS
     SELECT s.row, s.trace_no, s.service_no, s.origin_no, s.operation_no, s.called_no, s.dependency_no, k.callee,
       s.role | (CASE WHEN k.answered THEN ${ANSWERED} ELSE 0 END)::UTINYINT AS role
     FROM kin_requests s LEFT JOIN ${FIRST_CALLEES} k ON k.trace_id = s.trace_id AND k.span_id = s.span_id WHERE s.fresh`,
  )
  await session.run(
    `INSERT INTO ${alias}.spans
     SELECT k.service_no, s.start_ns, k.trace_no, s.span_id, s.parent_id, s.duration_ns, s.kind, s.status, s.flags,
       s.dropped, k.origin_no, k.operation_no, s.status_message, s.trace_state, s.attributes, s.events, s.links,
       k.role, coalesce(n.name_no, 0), k.called_no, k.dependency_no
     FROM ${place.open.alias}.spans s JOIN place_spans k ON k.row = s.rowid LEFT JOIN ${alias}.names n ON n.name = k.callee`,
  )
  await sealAggregates(session, place)
  await countUsage(session, place)
}

async function numberTraces(session: Session, place: SealPlace): Promise<void> {
  const traces = `${place.file.alias}.traces`
  await session.run(
    `CREATE OR REPLACE TEMP TABLE place_traces AS
     SELECT b.*, t.trace_no IS NOT NULL AS known,
       coalesce(t.trace_no, (SELECT coalesce(max(trace_no), 0) FROM ${traces})
         + row_number() OVER (PARTITION BY t.trace_no IS NULL))::UINTEGER AS trace_no,
       b.trace_id IN (SELECT trace_id FROM shared_ids) AS shared
     FROM (
       SELECT trace_id, min(start_ns) AS first_ns, max(start_ns) AS last_ns,
         min(start_ns) FILTER (parent_id = 0) AS root_ns
       FROM ${place.open.alias}.spans WHERE ${inPlace('start_ns')} GROUP BY trace_id) b
     LEFT JOIN ${traces} t ON t.trace_id = b.trace_id`,
    place.parameters,
  )
  await session.run(
    `UPDATE ${traces} AS t SET shared = t.shared OR p.shared, first_ns = least(t.first_ns, p.first_ns),
       last_ns = greatest(t.last_ns, p.last_ns), root_ns = least(t.root_ns, p.root_ns)
     FROM place_traces p WHERE p.known AND p.trace_no = t.trace_no`,
  )
  await session.run(
    `INSERT INTO ${traces} SELECT trace_no, trace_id, shared, first_ns, last_ns, root_ns FROM place_traces
     WHERE NOT known ORDER BY trace_no`,
  )
}

/**
 * How often each service, operation, status and attribute key occurs: what the filter options are made from. Attributes that are
 * no JSON must not keep everything else from being sealed.
 */
async function countUsage(session: Session, place: SealPlace): Promise<void> {
  const { alias } = place.file
  const source = `${place.open.alias}.spans s JOIN place_spans k ON k.row = s.rowid JOIN ${alias}.origins g USING (origin_no)`
  const keys = (json: string) => `unnest(TRY(json_keys(nullif(${json}, ''))))`
  await session.run(
    `CREATE OR REPLACE TEMP TABLE place_usage AS
     SELECT g.service_no, g.origin_no, s.operation, s.status = 2 AS failed, count(*) AS uses FROM ${source} GROUP BY ALL`,
  )
  await session.run(
    `INSERT INTO ${alias}.usage
     SELECT 'operation', operation, sum(uses) FROM place_usage GROUP BY operation UNION ALL
     SELECT 'service', n.name, sum(uses) FROM place_usage p JOIN ${alias}.names n ON n.name_no = p.service_no
       GROUP BY n.name UNION ALL
     SELECT 'status', CASE WHEN failed THEN 'ERROR' ELSE 'OK' END AS name, sum(uses) FROM place_usage GROUP BY name
       UNION ALL
     SELECT 'key', key, sum(uses) FROM (
       SELECT ${keys('attributes')} AS key, uses FROM (${keySets(source)}) UNION ALL
       SELECT ${keys('g.resource')}, uses FROM (
         SELECT origin_no, sum(uses) AS uses FROM place_usage GROUP BY origin_no) JOIN ${alias}.origins g USING (origin_no))
       GROUP BY key`,
  )
}

/** One span's attributes for each set of keys, and how many spans have that set. */
export function keySets(source: string): string {
  return `SELECT any_value(s.attributes) AS attributes, count(*) AS uses FROM ${source}
    GROUP BY coalesce(s.key_set, hash(s.attributes))`
}

/** A copy of a log or a point has its time: only that part of the hour is searched for copies. */
function withinTimesOf(table: string): string {
  return `time_ns BETWEEN (SELECT min(time_ns) FROM ${table} WHERE ${inPlace('time_ns')})
    AND (SELECT max(time_ns) FROM ${table} WHERE ${inPlace('time_ns')})`
}

export async function sealLogs(session: Session, place: SealPlace): Promise<void> {
  const { alias } = place.file
  const source = `${place.open.alias}.logs l JOIN ${alias}.origins g ON g.origin = l.origin`
  await session.run(
    `INSERT INTO ${alias}.logs
     SELECT g.service_no, l.time_ns, l.id, l.trace_id, l.span_id, l.observed_ns, l.severity, l.flags, l.dropped,
       g.origin_no, l.severity_text, l.body, l.event_name, l.attributes
     FROM ${source} WHERE ${inPlace('l.time_ns')}
       AND l.id NOT IN (SELECT id FROM ${alias}.logs WHERE ${withinTimesOf(`${place.open.alias}.logs`)})
     ORDER BY g.service_no, l.time_ns`,
    place.parameters,
  )
}

export async function sealPoints(session: Session, place: SealPlace): Promise<void> {
  const { alias } = place.file
  const points = `${place.open.alias}.points`
  await session.run(
    `INSERT INTO ${alias}.series
     SELECT row_number() OVER () + (SELECT coalesce(max(series_no), 0) FROM ${alias}.series), p.series,
       coalesce(TRY(json_extract_string(p.metric, '/name')), ''), p.metric, g.origin_no, p.attributes
     FROM (SELECT DISTINCT ON (series) * FROM ${points} WHERE ${inPlace('time_ns')}) p
     JOIN ${alias}.origins g ON g.origin = p.origin
     WHERE p.series NOT IN (SELECT series FROM ${alias}.series)`,
    place.parameters,
  )
  await session.run(
    `INSERT INTO ${alias}.points
     SELECT r.series_no, p.time_ns, p.start_ns, p.flags, p.number, p.detail
     FROM ${points} p JOIN ${alias}.series r ON r.series = p.series
     ANTI JOIN (SELECT series_no, time_ns FROM ${alias}.points WHERE ${withinTimesOf(points)}) k
       ON k.series_no = r.series_no AND k.time_ns = p.time_ns
     WHERE ${inPlace('p.time_ns')} ORDER BY r.series_no, p.time_ns`,
    place.parameters,
  )
}
