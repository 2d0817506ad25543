import { BUCKET_FACTOR } from '../../domain/latencies.ts'
import { FIRST_CALLEES, linksOf } from './kinship.ts'
import { nsRangeOfHour } from './layout.ts'
import { LOCAL_ROOT, REQUEST } from './schema.ts'
import { inPlace, type SealPlace } from './seal-place.ts'
import type { Session } from './session.ts'

const ROLES = REQUEST | LOCAL_ROOT

/** The bucket of `domain/latencies.ts` for a duration. */
export function bucketSql(durationNs: string): string {
  return `floor(ln(greatest(${durationNs}, 1)) / ${Math.log(BUCKET_FACTOR)})::SMALLINT`
}

/** Sums of requests as columns; `threshold_ns` is T of the Apdex formula. */
export const REQUEST_SUMS = `sum(n) AS requests, coalesce(sum(n) FILTER (status = 2), 0) AS errors,
  sum(n::HUGEINT * duration_ns) AS duration_ns,
  coalesce(sum(n) FILTER (status <> 2 AND duration_ns <= threshold_ns), 0) AS satisfied,
  coalesce(sum(n) FILTER (status <> 2 AND duration_ns > threshold_ns AND duration_ns <= 4 * threshold_ns), 0) AS tolerating`

/** T of each service, from `$thresholds` (an object by service) and `$threshold` (for all others), in milliseconds. */
export const THRESHOLDS = `(SELECT key AS threshold_service, value::DOUBLE * 1000000 AS own_threshold_ns
  FROM json_each($thresholds::JSON))`
export const THRESHOLD_NS = 'coalesce(own_threshold_ns, $threshold::DOUBLE * 1000000) AS threshold_ns'

/** Adds what the tables of `kinship.ts` have found out about a place to its hour. */
export async function sealAggregates(session: Session, place: SealPlace): Promise<void> {
  const { alias } = place.file
  await sealCorrections(session, place)
  const minute = `((start_ns - ${nsRangeOfHour(place.file.hour).firstNs}) // 60000000000)::UTINYINT AS minute`
  const requests = `(SELECT *, ${minute}, (role & ${ROLES})::UTINYINT AS roles FROM kin_requests)`
  await session.run(
    `INSERT INTO ${alias}.minute_requests
     SELECT minute, service_no, operation_no, kind, roles, ${REQUEST_SUMS}
     FROM (SELECT r.*, ${THRESHOLD_NS} FROM ${requests} r LEFT JOIN ${THRESHOLDS} ON threshold_service = service)
     WHERE roles <> 0 GROUP BY minute, service_no, operation_no, kind, roles ORDER BY ALL`,
    place.apdex,
  )
  await session.run(
    `INSERT INTO ${alias}.minute_latencies
     SELECT minute, service_no, operation_no, kind, roles, ${bucketSql('duration_ns')} AS bucket, sum(n)
     FROM ${requests} WHERE roles <> 0 GROUP BY ALL HAVING sum(n) <> 0 ORDER BY ALL`,
  )
  await session.run(
    `INSERT INTO ${alias}.minute_origins
     SELECT minute, origin_no, kind, roles, sum(n), coalesce(sum(n) FILTER (status = 2), 0), sum(n::HUGEINT * duration_ns)
     FROM ${requests} GROUP BY minute, origin_no, kind, roles ORDER BY ALL`,
  )
  await session.run(
    `INSERT INTO ${alias}.minute_calls
     SELECT minute, service_no, c.kind, callee_no, called_no, dependency_no, sum(n), coalesce(sum(n) FILTER (status = 2), 0),
       sum(n::HUGEINT * duration_ns), coalesce(sum(n) FILTER (status = 2 AND callee_no = 0 AND NOT answered), 0)
     FROM (SELECT c.*, ${minute}, coalesce(m.name_no, 0) AS callee_no FROM kin_calls c
       LEFT JOIN ${alias}.names m ON m.name = c.callee) c
     GROUP BY minute, service_no, c.kind, callee_no, called_no, dependency_no ORDER BY ALL`,
  )
}

/** Services that only other hours and files know of are called too. */
export async function nameCallees(session: Session, { file }: SealPlace): Promise<void> {
  await session.run(
    `INSERT INTO ${file.alias}.names
     SELECT row_number() OVER () + (SELECT coalesce(max(name_no), 0) FROM ${file.alias}.names), callee
     FROM (SELECT DISTINCT callee FROM kin_calls WHERE callee IS NOT NULL)
     WHERE callee NOT IN (SELECT name FROM ${file.alias}.names)`,
  )
}

async function sealCorrections(session: Session, { file, open, parameters }: SealPlace): Promise<void> {
  const { alias } = file
  await session.run(
    `INSERT INTO ${alias}.request_corrections
     SELECT start_ns, service_no, operation_no, origin_no, kind, status, duration_ns, role, n FROM kin_requests
     WHERE NOT fresh ORDER BY start_ns`,
  )
  // A span has room for one callee: those that it reached besides are added here.
  await session.run(
    `INSERT INTO ${alias}.call_corrections
     SELECT start_ns, service_no, c.kind, status, duration_ns, coalesce(m.name_no, 0), called_no, dependency_no, c.answered, n
     FROM kin_calls c LEFT JOIN ${FIRST_CALLEES} k ON k.trace_id = c.trace_id AND k.span_id = c.span_id
     LEFT JOIN ${alias}.names m ON m.name = c.callee
     WHERE NOT fresh OR c.callee <> k.callee ORDER BY start_ns`,
  )
  const rows = `(SELECT s.*, g.service_no FROM ${open.alias}.spans s JOIN ${alias}.origins g ON g.origin = s.origin
    WHERE ${inPlace('s.start_ns')} AND s.rowid IN (SELECT row FROM place_spans))`
  await session.run(
    `INSERT INTO ${alias}.message_links SELECT trace_id, span_id, service FROM (${linksOf(rows, 'service_no', '0')})
     WHERE trace_id IS NOT NULL AND span_id IS NOT NULL`,
    parameters,
  )
}
