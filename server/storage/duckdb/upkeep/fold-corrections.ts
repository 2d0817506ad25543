import type { Session } from '../engine/session.ts'
import { ANSWERED, LOCAL_ROOT, REQUEST } from '../schema.ts'
import type { KeptRows } from './matching-rows.ts'

const ROLES = REQUEST | LOCAL_ROOT
/** So many corrections are folded at a time, or about as many. */
const CORRECTIONS_PER_RUN = 100_000

interface Folding {
  /** What a correction knows of its span. */
  span: string
  /** What it corrects, as one number: in a row of a span, and in a correction. */
  ofSpan: string
  ofCorrection: string
  /** The columns of a correction that say so. */
  columns: string
}

const FOLDINGS: Record<'request_corrections' | 'call_corrections', Folding> = {
  request_corrections: {
    span: 'start_ns, service_no, operation_no, origin_no, kind, status, duration_ns',
    ofSpan: `role & ${ROLES}`,
    ofCorrection: `role & ${ROLES}`,
    columns: 'state AS role',
  },
  call_corrections: {
    span: 'start_ns, service_no, kind, status, duration_ns, called_no, dependency_no',
    ofSpan: stateOfCall(`role & ${ANSWERED} <> 0`),
    ofCorrection: stateOfCall('answered'),
    columns: 'state >> 1 AS callee_no, state & 1 = 1 AS answered',
  },
}

/** Who has a callee is answered. */
function stateOfCall(answered: string): string {
  return `(callee_no::BIGINT << 1) | (callee_no <> 0 OR ${answered})::BIGINT`
}

/**
 * Finds the spans of an hour that can say themselves what corrections say of them, for `foldedSpans`, and copies the other
 * corrections. A correction does not name its span: only where all spans that it may be about are corrected alike are they
 * changed. What is added up of spans and corrections is the same before and after. Spans that are not kept take what
 * corrected them along.
 */
export async function foldCorrections(session: Session, from: string, to: string, where: KeptRows['where']) {
  for (const [table, folding] of Object.entries(FOLDINGS)) {
    await session.run(`CREATE OR REPLACE TEMP TABLE folded_${table} (row BIGINT, state BIGINT)`)
    for (const inTime of await runsOf(session, `${from}.${table}`))
      await foldRun(session, from, to, table, folding, { inTime, isKept: where(table) })
  }
  await session.run('DROP TABLE IF EXISTS temp.net_corrections; DROP TABLE IF EXISTS temp.folds')
}

export async function forgetFolded(session: Session): Promise<void> {
  for (const table of Object.keys(FOLDINGS)) await session.evenIfStopped(`DROP TABLE IF EXISTS temp.folded_${table}`)
}

/** Some of an hour's spans, with what was found for them. `condition` is about `rowid`, `rows` the same about `row`. */
export function foldedSpans(from: string, condition: string, rows: string): string {
  const answered = `CASE WHEN c.state IS NULL THEN s.role & ${ANSWERED} ELSE (c.state & 1) * ${ANSWERED} END`
  return `SELECT s.* EXCLUDE (row) REPLACE (
      (coalesce(r.state, s.role & ${ROLES}) | ${answered})::UTINYINT AS role,
      coalesce(c.state >> 1, s.callee_no)::UINTEGER AS callee_no)
    FROM (SELECT *, rowid AS row FROM ${from}.spans WHERE ${condition}) s
    LEFT JOIN (SELECT * FROM folded_request_corrections WHERE ${rows}) r ON r.row = s.row
    LEFT JOIN (SELECT * FROM folded_call_corrections WHERE ${rows}) c ON c.row = s.row`
}

/** Ranges of time with about as many corrections as are folded at a time. */
async function runsOf(session: Session, table: string): Promise<string[]> {
  const [found] = await session.rows(
    `SELECT count(*)::DOUBLE AS count, min(start_ns) AS first, max(start_ns) AS last FROM ${table}`,
  )
  const count = Number(found?.['count'])
  if (count === 0) return []
  const [firstNs, lastNs] = [BigInt(found?.['first'] as bigint), BigInt(found?.['last'] as bigint)]
  const runs = BigInt(Math.ceil(count / CORRECTIONS_PER_RUN))
  const lengthNs = (lastNs - firstNs) / runs + 1n
  return Array.from({ length: Number(runs) }, (_, i) => {
    const startNs = firstNs + BigInt(i) * lengthNs
    return `start_ns >= ${startNs} AND start_ns < ${startNs + lengthNs}`
  })
}

async function foldRun(
  session: Session,
  from: string,
  to: string,
  table: string,
  { span, ofSpan, ofCorrection, columns }: Folding,
  { inTime, isKept }: { inTime: string; isKept: string },
): Promise<void> {
  await session.run(
    `CREATE OR REPLACE TEMP TABLE net_corrections AS
     SELECT ${span}, ${ofCorrection} AS state, sum(n) AS n FROM ${from}.${table}
     WHERE ${inTime} AND ${isKept} GROUP BY ALL HAVING sum(n) <> 0`,
  )
  await session.run(
    `CREATE OR REPLACE TEMP TABLE folds AS
     SELECT ${span}, before, after, spans, list(row) AS rows
     FROM (SELECT ${span}, arg_min(state, n) AS before, arg_max(state, n) AS after, -min(n) AS spans FROM net_corrections
       GROUP BY ${span} HAVING count(*) FILTER (n < 0) = 1 AND max(n) >= -min(n))
     JOIN (SELECT ${span}, ${ofSpan} AS state, rowid AS row FROM ${from}.spans WHERE ${inTime}) USING (${span})
     GROUP BY ALL HAVING count(*) = spans AND count(*) FILTER (state = before) = spans`,
  )
  await session.run(`INSERT INTO folded_${table} SELECT unnest(rows), after FROM folds`)
  await session.run(
    `INSERT INTO ${to}.${table} BY NAME
     SELECT ${span}, ${columns}, sign(n) AS n FROM (
       SELECT ${span}, state, n, unnest(range(abs(n)::BIGINT)) FROM (
         SELECT ${span}, state, n + CASE state WHEN before THEN spans WHEN after THEN -spans ELSE 0 END AS n
         FROM net_corrections LEFT JOIN folds USING (${span})))`,
  )
}
