import { LOCAL_ROOT, REQUEST } from './schema.ts'
import type { Session } from './session.ts'

/**
 * What spans are to each other, worked out for some of them (the subjects) from all that stand beside, above and below
 * them. Sealing does it for the rows it moves; a question for the rows that are not sealed yet. Temporary tables hold:
 *
 * - `kin_subjects (trace_id, span_id, parent_id, service, kind, role, hour, fresh, …)`: `role` has the bits that a span has
 *   by itself, or that it was sealed with; `fresh` is whether it is not sealed yet. More columns may follow.
 * - `kin_relatives (trace_id, span_id, parent_id, service, kind, open_no)`: `open_no` is 0 for one that is sealed.
 * - `kin_links (trace_id, span_id, service, open_no)`: the spans that consumers link to, and whose those are.
 * - `kin_sealed (hour, open_no)`: the open files whose rows an hour knows of already.
 *
 * A relative is new to a subject where it comes from an open file that the subject's hour does not know yet.
 */
export const KINSHIP_TABLES = [
  'kin_subjects',
  'kin_relatives',
  'kin_links',
  'kin_sealed',
  'kin_parents',
  'kin_callees',
  'kin_requests',
  'kin_calls',
]

const IS_NEW = '(r.open_no <> 0 AND k.open_no IS NULL)'
const KNOWN = 'LEFT JOIN kin_sealed k ON k.hour = c.hour AND k.open_no = r.open_no'

/** Makes `kin_requests`: the subjects' roles, as they count from now on, with `n` -1 for what no longer does. */
export async function relateRequests(session: Session): Promise<void> {
  await session.run(
    `CREATE OR REPLACE TEMP TABLE kin_parents AS
     SELECT c.trace_id, c.span_id, ${IS_NEW} AS is_new,
       (CASE WHEN r.kind IN (2, 5) THEN ${REQUEST} ELSE 0 END + ${LOCAL_ROOT})::UTINYINT AS taken
     FROM kin_subjects c JOIN kin_relatives r ON r.trace_id = c.trace_id AND r.span_id = c.parent_id AND r.service = c.service
     ${KNOWN} WHERE c.parent_id <> 0`,
  )
  await session.run(
    `CREATE OR REPLACE TEMP TABLE kin_requests AS
     WITH roles AS (
       SELECT c.*, c.role & (~coalesce(p.taken, 0)::UTINYINT) AS role_now,
         c.role & (~(CASE WHEN p.is_new THEN 0 ELSE coalesce(p.taken, 0) END)::UTINYINT) AS role_before
       FROM kin_subjects c LEFT JOIN kin_parents p ON p.trace_id = c.trace_id AND p.span_id = c.span_id)
     SELECT * EXCLUDE (role, role_now, role_before), role_now AS role, 1 AS n FROM roles WHERE fresh UNION ALL
     SELECT * EXCLUDE (role, role_now, role_before), role_before, -1 FROM roles
       WHERE NOT fresh AND role_now <> role_before UNION ALL
     SELECT * EXCLUDE (role, role_now, role_before), role_now, 1 FROM roles
       WHERE NOT fresh AND role_now <> role_before`,
  )
}

/** Makes `kin_calls`: whom the calls among the subjects reached (`callee`, null for nobody known), with `n` as above. */
export async function relateCalls(session: Session): Promise<void> {
  await session.run(
    `CREATE OR REPLACE TEMP TABLE kin_callees AS
     SELECT trace_id, span_id, list(DISTINCT callee) FILTER (callee IS NOT NULL) AS now,
       list(DISTINCT callee) FILTER (callee IS NOT NULL AND NOT is_new) AS before,
       bool_or(is_child) AS answered, bool_or(is_child AND NOT is_new) AS answered_before
     FROM (
       SELECT c.trace_id, c.span_id, nullif(r.service, c.service) AS callee, ${IS_NEW} AS is_new, true AS is_child
       FROM kin_subjects c JOIN kin_relatives r ON r.trace_id = c.trace_id AND r.parent_id = c.span_id ${KNOWN}
       WHERE c.kind IN (3, 4) UNION ALL
       SELECT c.trace_id, c.span_id, nullif(r.service, c.service), ${IS_NEW}, false
       FROM kin_subjects c JOIN kin_links r ON r.trace_id = c.trace_id AND r.span_id = c.span_id ${KNOWN}
       WHERE c.kind IN (3, 4))
     GROUP BY trace_id, span_id`,
  )
  await session.run(
    `CREATE OR REPLACE TEMP TABLE kin_calls AS
     WITH calls AS (
       SELECT c.*, coalesce(k.now, []) AS now, coalesce(k.before, []) AS before,
         coalesce(k.answered, false) AS answered_now, coalesce(k.answered_before, false) AS answered_before
       FROM kin_subjects c LEFT JOIN kin_callees k ON k.trace_id = c.trace_id AND k.span_id = c.span_id
       WHERE c.kind IN (3, 4)),
     changed AS (FROM calls WHERE NOT fresh AND (len(now) > len(before) OR (len(now) = 0 AND answered_now <> answered_before))),
     counted AS (
       SELECT *, NULL AS callee, answered_now AS answered, 1 AS n FROM calls WHERE fresh AND len(now) = 0 UNION ALL
       SELECT *, unnest(now), answered_now, 1 FROM calls WHERE fresh AND len(now) > 0 UNION ALL
       SELECT *, NULL, answered_before, -1 FROM changed WHERE len(before) = 0 UNION ALL
       SELECT *, NULL, answered_now, 1 FROM changed WHERE len(now) = 0 UNION ALL
       SELECT *, unnest(list_filter(now, lambda callee: NOT list_contains(before, callee))), answered_now, 1 FROM changed
         WHERE len(now) > 0)
     SELECT * EXCLUDE (now, before, answered_now, answered_before) FROM counted`,
  )
}

/** The bits that a row of an open file has by itself. */
export const OPEN_ROLE = `((CASE WHEN kind IN (2, 5) AND receives = 0 THEN ${REQUEST} ELSE 0 END) + ${LOCAL_ROOT})::UTINYINT`

/** Links of consumers in an open file, as rows of `kin_links`. Links that cannot be read name nobody. */
export function linksOf(rows: string, service: string, openNo: string): string {
  return `SELECT TRY_CAST(link->>'traceId' AS UUID) AS trace_id, TRY_CAST('0x' || (link->>'spanId') AS UBIGINT) AS span_id,
      ${service} AS service, ${openNo} AS open_no
    FROM (SELECT *, unnest(TRY(CAST(links AS JSON[]))) AS link FROM ${rows} WHERE kind = 5 AND links <> '')`
}
