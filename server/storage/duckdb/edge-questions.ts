import type { TimeWindow } from '../../domain/time-window.ts'
import type { Edge } from '../diagnostics-reader.ts'
import { nsRangeOfHour } from './layout.ts'
import { openCalls } from './live/open-calls.ts'
import { inRanges, minuteOfColumn, minuteRanges, NS_PER_MINUTE } from './minute-ranges.ts'
import { rolledHours } from './rolled-hours.ts'
import { ANSWERED } from './schema.ts'
import { type HourUnit, overlaps, type Scope } from './scope.ts'
import { dayBefore, knownServices } from './services-known.ts'
import type { Row } from './session.ts'

const PRODUCER = 4
const GROUPS = 'service, kind, callee, called, dependency, minute_ns'
const CALL_SUMS = `sum(n) AS calls, coalesce(sum(n) FILTER (status = 2), 0) AS errors, sum(n::HUGEINT * duration_ns) AS duration_ns,
  coalesce(sum(n) FILTER (status = 2 AND callee = '' AND NOT answered), 0) AS unanswered`

/** The scope must reach a day back from the window's end. */
export async function edges(scope: Scope, window: TimeWindow, byMinute: boolean): Promise<Edge[]> {
  const open = openCalls(await scope.openFigures(), window, byMinute)
  const units = scope.units.filter(({ hour }) => overlaps(hour, window))
  const rolled = byMinute ? new Set<number>() : await rolledHours(scope, units, window)
  const parts = units.flatMap((unit) => [
    ...ofMinutes(unit, window, byMinute, rolled.has(unit.hour)),
    ...ofSpans(unit, window, byMinute),
  ])
  if (parts.length === 0 && open.length === 0) return []
  const { all } = await knownServices(scope, dayBefore(window))
  if (parts.length === 0) return added(open, all)
  const sql = `SELECT ${GROUPS}, sum(calls) AS calls, sum(errors) AS errors, sum(duration_ns) AS duration_ns,
      sum(unanswered) AS unanswered FROM (${parts.join(' UNION ALL ')}) GROUP BY ${GROUPS}
    HAVING sum(calls) <> 0 OR sum(errors) <> 0 OR sum(duration_ns) <> 0 OR sum(unanswered) <> 0`
  return added([...(await scope.session.rows(sql)), ...open], all)
}

function ofMinutes({ file, hour }: HourUnit, window: TimeWindow, byMinute: boolean, isRolled: boolean): string[] {
  const { whole } = minuteRanges(hour, window)
  if (!file || !whole) return []
  const { alias } = file
  const numbers = `service_no, kind, callee_no, called_no, dependency_no ${byMinute ? ', minute' : ''}`
  const source = isRolled
    ? `${alias}.hour_calls`
    : `${alias}.minute_calls WHERE minute >= ${whole.first} AND minute < ${whole.end}`
  const minuteNs = byMinute ? `${nsRangeOfHour(hour).firstNs} + minute * ${NS_PER_MINUTE}` : '0::BIGINT'
  return [
    `SELECT v.name AS service, kind, ${nameOr('c', 'callee')}, ${nameOr('l', 'called')}, ${nameOr('d', 'dependency')},
       ${minuteNs} AS minute_ns, calls, errors, duration_ns, unanswered
     FROM (SELECT ${numbers}, sum(calls) AS calls, sum(errors) AS errors, sum(duration_ns) AS duration_ns,
         sum(unanswered) AS unanswered FROM ${source} GROUP BY ${numbers}) s ${namesOf(alias)}`,
  ]
}

function ofSpans({ file, hour }: HourUnit, window: TimeWindow, byMinute: boolean): string[] {
  const { ragged } = minuteRanges(hour, window)
  if (!file || ragged.length === 0) return []
  const { alias } = file
  const own = 'service_no, kind, status, start_ns, duration_ns, callee_no, called_no, dependency_no'
  const inTime = inRanges('start_ns', ragged)
  const rows = `SELECT ${own}, role & ${ANSWERED} <> 0 AS answered, 1 AS n FROM ${alias}.spans
      WHERE kind IN (3, 4) AND ${inTime}
    UNION ALL SELECT ${own}, answered, n FROM ${alias}.call_corrections WHERE ${inTime}`
  return [
    `SELECT ${GROUPS}, ${CALL_SUMS} FROM (
       SELECT v.name AS service, kind, status, duration_ns, answered, n, ${nameOr('c', 'callee')}, ${nameOr('l', 'called')},
         ${nameOr('d', 'dependency')}, ${byMinute ? minuteOfColumn('start_ns') : '0::BIGINT'} AS minute_ns
       FROM (${rows}) s ${namesOf(alias)}) GROUP BY ${GROUPS}`,
  ]
}

function nameOr(alias: string, column: string): string {
  return `coalesce(${alias}.name, '') AS ${column}`
}

function namesOf(alias: string): string {
  return `JOIN ${alias}.names v ON v.name_no = s.service_no LEFT JOIN ${alias}.names c ON c.name_no = s.callee_no
    LEFT JOIN ${alias}.names l ON l.name_no = s.called_no LEFT JOIN ${alias}.names d ON d.name_no = s.dependency_no`
}

/** Calls that reached nobody we know of go to the service of the name that they give, or to what else they name. */
function added(rows: Row[], known: Set<string>): Edge[] {
  const edgesByKey = new Map<string, Edge>()
  for (const row of rows) {
    const called = row['called'] as string
    const sourceName = row['service'] as string
    const targetName = (row['callee'] as string) || (known.has(called) ? called : (row['dependency'] as string))
    if (targetName === '' || targetName === sourceName) continue
    const key = JSON.stringify([sourceName, targetName, row['kind'], String(row['minute_ns'])])
    const edge = edgesByKey.get(key) ?? {
      sourceName,
      targetName,
      targetIsService: known.has(targetName),
      kind: row['kind'] === PRODUCER ? ('PRODUCER' as const) : ('CLIENT' as const),
      minuteNs: BigInt(String(row['minute_ns'])),
      requestCount: 0,
      errorCount: 0,
      durationNsSum: 0n,
      unansweredErrorCount: 0,
    }
    edgesByKey.set(key, edge)
    edge.requestCount += Number(row['calls'])
    edge.errorCount += Number(row['errors'])
    edge.durationNsSum += BigInt(String(row['duration_ns']))
    edge.unansweredErrorCount += Number(row['unanswered'])
  }
  return [...edgesByKey.values()].filter(({ requestCount }) => requestCount > 0)
}
