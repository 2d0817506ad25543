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

/**
 * Makes `kin_callees`: who stands below each call among the subjects (`callee`, null for its own service), and `kin_calls`: whom
 * the calls reached (`callee`, null for nobody known), with `n` as above.
 */
export async function relateCalls(session: Session): Promise<void> {
  await session.run(
    `CREATE OR REPLACE TEMP TABLE kin_callees AS
     SELECT trace_id, span_id, callee, bool_and(is_new) AS is_new, bool_or(is_child) AS is_child,
       bool_or(is_child AND NOT is_new) AS was_child
     FROM (
       SELECT c.trace_id, c.span_id, nullif(r.service, c.service) AS callee, ${IS_NEW} AS is_new, true AS is_child
       FROM kin_subjects c JOIN kin_relatives r ON r.trace_id = c.trace_id AND r.parent_id = c.span_id ${KNOWN}
       WHERE c.kind IN (3, 4) UNION ALL
       SELECT c.trace_id, c.span_id, nullif(r.service, c.service), ${IS_NEW}, false
       FROM kin_subjects c JOIN kin_links r ON r.trace_id = c.trace_id AND r.span_id = c.span_id ${KNOWN}
       WHERE c.kind IN (3, 4))
     GROUP BY trace_id, span_id, callee`,
  )
  await session.run(
    `CREATE OR REPLACE TEMP TABLE kin_calls AS
     WITH calls AS (FROM kin_subjects WHERE kind IN (3, 4)),
     reached AS (FROM kin_callees WHERE callee IS NOT NULL),
     sealed AS (
       SELECT c.*, coalesce(bool_or(k.callee IS NOT NULL), false) AS reaches,
         coalesce(bool_or(k.callee IS NOT NULL AND NOT k.is_new), false) AS reached_before,
         coalesce(bool_or(k.is_child), false) AS answered_now, coalesce(bool_or(k.was_child), false) AS answered_before
       FROM calls c LEFT JOIN kin_callees k ON k.trace_id = c.trace_id AND k.span_id = c.span_id
       WHERE NOT c.fresh GROUP BY ALL)
     SELECT c.*, k.callee, true AS answered, 1 AS n FROM calls c
       JOIN reached k ON k.trace_id = c.trace_id AND k.span_id = c.span_id WHERE c.fresh UNION ALL
     SELECT c.*, NULL, coalesce(k.is_child, false), 1 FROM (
         SELECT * FROM calls c ANTI JOIN reached r ON r.trace_id = c.trace_id AND r.span_id = c.span_id WHERE fresh) c
       LEFT JOIN kin_callees k ON k.trace_id = c.trace_id AND k.span_id = c.span_id UNION ALL
     SELECT c.* EXCLUDE (reaches, reached_before, answered_now, answered_before), NULL, answered_before, -1 FROM sealed c
       WHERE NOT reached_before AND (reaches OR answered_now <> answered_before) UNION ALL
     SELECT c.* EXCLUDE (reaches, reached_before, answered_now, answered_before), NULL, answered_now, 1 FROM sealed c
       WHERE NOT reaches AND answered_now <> answered_before UNION ALL
     SELECT c.* EXCLUDE (reaches, reached_before, answered_now, answered_before), k.callee, true, 1 FROM sealed c
       JOIN reached k ON k.trace_id = c.trace_id AND k.span_id = c.span_id WHERE k.is_new`,
  )
}

/** For each call with anything below it: one of those whom it reached, and whether a span stands below it. */
export const FIRST_CALLEES = `(SELECT trace_id, span_id, min(callee) AS callee, bool_or(is_child) AS answered
  FROM kin_callees GROUP BY trace_id, span_id)`

/** The bits that a row of an open file has by itself. */
export const OPEN_ROLE = `((CASE WHEN kind IN (2, 5) AND receives = 0 THEN ${REQUEST} ELSE 0 END) + ${LOCAL_ROOT})::UTINYINT`

/** Links of consumers in an open file, as rows of `kin_links`. Links that cannot be read name nobody. */
export function linksOf(rows: string, service: string, openNo: string): string {
  return `SELECT TRY_CAST(link->>'traceId' AS UUID) AS trace_id, TRY_CAST('0x' || (link->>'spanId') AS UBIGINT) AS span_id,
      ${service} AS service, ${openNo} AS open_no
    FROM (SELECT *, unnest(TRY(CAST(links AS JSON[]))) AS link FROM ${rows} WHERE kind = 5 AND links <> '')`
}
