import { EXACT_REQUESTS_MAX } from '../../../domain/latencies.ts'
import type { Session } from '../engine/session.ts'
import { seenRows } from '../figures/services-known.ts'
import { addedUpRows } from './added-up-rows.ts'
import { DAY_FILE_TABLES } from './day-file.ts'
import { IS_REQUEST, ROLE } from './request-roles.ts'
import { rollLatencies } from './roll-latencies.ts'

const REQUEST_COUNTS = ['requests', 'errors', 'satisfied', 'tolerating'] as const
const CALL_COUNTS = ['calls', 'errors', 'unanswered'] as const

/** Writes what an hour's requests and calls come down to into its day, within the caller's transaction. */
export async function rollRequests(session: Session, from: string, to: string, hour: number): Promise<void> {
  for (const [table, columns] of Object.entries(DAY_FILE_TABLES.requests))
    if (columns.startsWith('hour ') && table !== 'rolled')
      await session.run(`DELETE FROM ${to}.${table} WHERE hour = ${hour}`)
  const nameOf = await numberNames(session, from, to)
  await rollSums(session, from, to, hour)
  await rollLatencies(session, from, to, { hour, nameOf })
  await rollDurations(session, from, to, hour)
  await session.run(
    `INSERT INTO ${to}.seen SELECT ${hour}, n.day_no, first, last, first_entry, last_entry
     FROM (${seenRows(from)}) JOIN rolled_names n ON n.name_no = service_no`,
  )
  await session.run(
    `INSERT INTO ${to}.spans_1h SELECT ${hour}, n.day_no, kind, sum(spans) FROM ${from}.minute_origins
     JOIN ${from}.origins USING (origin_no) JOIN rolled_names n ON n.name_no = service_no
     GROUP BY ALL HAVING sum(spans) <> 0`,
  )
  await session.run('DROP TABLE temp.rolled_names')
}

/** The names of an hour by its numbers and those of the day, which gets the ones that are new. */
async function numberNames(session: Session, from: string, to: string): Promise<(no: number) => number> {
  const used = [
    ...['service_no', 'operation_no'].map((no) => `SELECT ${no} FROM ${from}.minute_requests WHERE ${IS_REQUEST}`),
    ...['service_no', 'callee_no', 'called_no', 'dependency_no'].map((no) => `SELECT ${no} FROM ${from}.minute_calls`),
    `SELECT service_no FROM ${from}.origins`,
  ]
  await session.run(
    `CREATE OR REPLACE TEMP TABLE used_names AS
     SELECT name_no, name FROM ${from}.names WHERE name_no IN (${used.join(' UNION ')})`,
  )
  await session.run(
    `INSERT INTO ${to}.names
     SELECT row_number() OVER () + (SELECT coalesce(max(name_no), 0) FROM ${to}.names), name
     FROM (SELECT DISTINCT name FROM used_names WHERE name NOT IN (SELECT name FROM ${to}.names))`,
  )
  await session.run(
    `CREATE OR REPLACE TEMP TABLE rolled_names AS
     SELECT u.name_no, d.name_no AS day_no FROM used_names u JOIN ${to}.names d USING (name)
     UNION ALL SELECT 0, 0 WHERE 0 NOT IN (SELECT name_no FROM used_names)`,
  )
  await session.run('DROP TABLE temp.used_names')
  const answer = await session.numbers('SELECT name_no, day_no FROM rolled_names')
  const [numbers, dayNumbers] = [answer.column(0), answer.column(1)]
  const byNumber = new Map<number, number>()
  for (let row = 0; row < answer.rows; row++) byNumber.set(numbers[row] as number, dayNumbers[row] as number)
  return (no) => byNumber.get(no) ?? 0
}

async function rollSums(session: Session, from: string, to: string, hour: number): Promise<void> {
  const requests = (keys: string) =>
    `(SELECT ${keys}, kind, ${ROLE} AS role, ${REQUEST_COUNTS.join(', ')}, duration_ns FROM ${from}.minute_requests
      JOIN rolled_names s ON s.name_no = service_no JOIN rolled_names o ON o.name_no = operation_no WHERE ${IS_REQUEST})`
  const calls = `(SELECT s.day_no AS service_no, kind, c.day_no AS callee_no, k.day_no AS called_no, d.day_no AS dependency_no,
      ${CALL_COUNTS.join(', ')}, duration_ns FROM ${from}.minute_calls
    JOIN rolled_names s ON s.name_no = service_no JOIN rolled_names c ON c.name_no = callee_no
    JOIN rolled_names k ON k.name_no = called_no JOIN rolled_names d ON d.name_no = dependency_no)`
  const rolled = {
    requests_1h: addedUpRows(
      requests('s.day_no AS service_no, o.day_no AS operation_no'),
      'service_no, operation_no, kind, role',
      REQUEST_COUNTS,
    ),
    service_requests_1h: addedUpRows(requests('s.day_no AS service_no'), 'service_no, kind, role', REQUEST_COUNTS),
    service_requests_5m: addedUpRows(
      requests('minute // 5 * 5 AS minute, s.day_no AS service_no'),
      'minute, service_no, kind, role',
      REQUEST_COUNTS,
    ),
    calls_1h: addedUpRows(calls, 'service_no, kind, callee_no, called_no, dependency_no', CALL_COUNTS),
  }
  for (const [table, rows] of Object.entries(rolled))
    await session.run(`INSERT INTO ${to}.${table} BY NAME SELECT ${hour} AS hour, * FROM (${rows})`)
}

/** A group of requests that is told one by one has no operation with more of them. */
async function rollDurations(session: Session, from: string, to: string, hour: number): Promise<void> {
  const series = `service_no, operation_no, kind, ${ROLE} AS role`
  const spans = `SELECT ${series}, duration_ns, 1 AS n FROM ${from}.spans WHERE ${IS_REQUEST}
    UNION ALL SELECT ${series}, duration_ns, n FROM ${from}.request_corrections WHERE ${IS_REQUEST}`
  const few = `SELECT ${series} FROM ${from}.minute_requests WHERE ${IS_REQUEST}
    GROUP BY ALL HAVING sum(requests) BETWEEN 1 AND ${EXACT_REQUESTS_MAX}`
  await session.run(
    `INSERT INTO ${to}.durations SELECT ${hour}, s.day_no, o.day_no, kind, role, duration_ns, n
     FROM (SELECT service_no, operation_no, kind, role, duration_ns, sum(n) AS n
       FROM (${spans}) SEMI JOIN (${few}) USING (service_no, operation_no, kind, role) GROUP BY ALL HAVING sum(n) <> 0)
     JOIN rolled_names s ON s.name_no = service_no JOIN rolled_names o ON o.name_no = operation_no
     ORDER BY s.day_no, o.day_no, kind, role, duration_ns`,
  )
}
