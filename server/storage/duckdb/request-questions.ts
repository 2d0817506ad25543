import type { ApdexThresholds } from '../../domain/apdex.ts'
import { NS_PER_HOUR, type TimeWindow } from '../../domain/time-window.ts'
import type { ServiceRequests, UnansweredCalls } from '../telemetry-store.ts'
import { type HourUnit, openRows, type Scope } from './scope.ts'
import { openOrigins } from './span-rows-read.ts'

const ENTRY_KINDS = '(2, 5)'
const CALL_KINDS = '(3, 4)'
const RECEIVES = `coalesce(json_extract_string(nullif(attributes, ''), '/messaging.operation.type'),
  json_extract_string(nullif(attributes, ''), '/messaging.operation')) = 'receive'`

/** How far from a window its spans' parents and children are looked for, and how far back a service is known. */
export function widened(window: TimeWindow): TimeWindow {
  return { startNs: window.endNs - 24n * NS_PER_HOUR, endNs: window.endNs + NS_PER_HOUR }
}

/** Spans of a unit as rows of service, trace id, own columns; `where` is understood by both forms. */
function spansOf(unit: HourUnit, where: string, more = ''): string {
  const own = `span_id, parent_id, kind, status, duration_ns, start_ns ${more}`
  const parts: string[] = []
  if (unit.file) {
    const { alias } = unit.file
    parts.push(`SELECT v.name AS service, t.trace_id, ${own} FROM ${alias}.spans s
      JOIN ${alias}.traces t USING (trace_no) JOIN ${alias}.names v ON v.name_no = s.service_no WHERE ${where}`)
  }
  const rows = openRows(unit, 'spans')
  if (rows)
    parts.push(`SELECT g.service, trace_id, ${own} FROM ${rows} s JOIN ${openOrigins(unit)} g USING (origin)
      WHERE ${where}`)
  return parts.join(' UNION ALL ')
}

function overUnits(scope: Scope, part: (unit: HourUnit) => string): string {
  const parts = scope.units.map(part)
  return parts.length > 0 ? parts.join(' UNION ALL ') : part({ hour: 0, file: undefined, open: [] })
}

async function createTable(scope: Scope, name: string, select: string): Promise<void> {
  await scope.session.run(`CREATE OR REPLACE TEMP TABLE ${name} AS ${select}`, scope.grid)
}

/**
 * The requests of each service: SERVER and CONSUMER spans that do not stand under another one of their service and are no mere
 * receiving; for a service without such spans in a day, its local roots.
 */
export async function serviceRequests(
  scope: Scope,
  window: TimeWindow,
  thresholds: ApdexThresholds,
): Promise<ServiceRequests[]> {
  if (scope.units.length === 0) return []
  const inWindow = `start_ns >= ${window.startNs} AND start_ns < ${window.endNs}`
  await createTable(
    scope,
    'entries',
    overUnits(
      scope,
      (unit) => `${spansOf(unit, `kind = 2 AND ${inWindow}`, ', false AS receives')}
    UNION ALL ${spansOf(unit, `kind = 5 AND ${inWindow}`, `, coalesce(${RECEIVES}, false) AS receives`)}`,
    ),
  )
  await createTable(
    scope,
    'parents',
    overUnits(scope, (unit) =>
      spansOf(unit, `kind IN ${ENTRY_KINDS} AND span_id IN (SELECT parent_id FROM entries WHERE parent_id <> 0)`),
    ),
  )
  await createTable(
    scope,
    'requests',
    `SELECT service, status, duration_ns FROM entries e WHERE NOT receives
    AND NOT EXISTS (SELECT 1 FROM parents p WHERE p.trace_id = e.trace_id AND p.span_id = e.parent_id AND p.service = e.service)`,
  )
  await addLocalRoots(scope, window, inWindow)
  return await summed(scope, thresholds)
}

async function addLocalRoots(scope: Scope, window: TimeWindow, inWindow: string): Promise<void> {
  const dayBefore = `start_ns >= ${window.endNs - 24n * NS_PER_HOUR} AND start_ns < ${window.endNs}`
  await createTable(
    scope,
    'entry_services',
    overUnits(
      scope,
      (unit) => `SELECT DISTINCT service FROM (${spansOf(unit, `kind IN ${ENTRY_KINDS} AND ${dayBefore}`)})`,
    ),
  )
  await createTable(
    scope,
    'locals',
    overUnits(
      scope,
      (unit) => `SELECT * FROM (${spansOf(unit, inWindow)})
    WHERE service NOT IN (SELECT service FROM entry_services)`,
    ),
  )
  await createTable(
    scope,
    'local_parents',
    overUnits(scope, (unit) => spansOf(unit, 'span_id IN (SELECT parent_id FROM locals WHERE parent_id <> 0)')),
  )
  await scope.session.run(`INSERT INTO requests SELECT service, status, duration_ns FROM locals e WHERE NOT EXISTS (
    SELECT 1 FROM local_parents p WHERE p.trace_id = e.trace_id AND p.span_id = e.parent_id AND p.service = e.service)`)
}

async function summed(scope: Scope, thresholds: ApdexThresholds): Promise<ServiceRequests[]> {
  const rows = await scope.session.rows(
    `SELECT service, count(*) AS requests, count(*) FILTER (status = 2) AS errors, sum(duration_ns)::VARCHAR AS total_ns,
       count(*) FILTER (status <> 2 AND duration_ns <= threshold_ns) AS satisfied,
       count(*) FILTER (status <> 2 AND duration_ns > threshold_ns AND duration_ns <= 4 * threshold_ns) AS tolerating
     FROM (SELECT r.*, coalesce(t.value::DOUBLE, $default::DOUBLE) * 1000000 AS threshold_ns
       FROM requests r LEFT JOIN json_each($thresholds::JSON) t ON t.key = r.service)
     GROUP BY service`,
    { default: thresholds.defaultMs, thresholds: JSON.stringify(thresholds.byService) },
  )
  return rows.map((row) => ({
    serviceName: row['service'] as string,
    requestCount: Number(row['requests']),
    errorCount: Number(row['errors']),
    durationNsSum: BigInt(row['total_ns'] as string),
    satisfiedCount: Number(row['satisfied']),
    toleratingCount: Number(row['tolerating']),
  }))
}

/** Failed calls to a service of the Grid, by the name that the caller's attributes give it, with no span of it below them. */
export async function unansweredCalls(scope: Scope, window: TimeWindow): Promise<UnansweredCalls[]> {
  if (scope.units.length === 0) return []
  const failed = `kind IN ${CALL_KINDS} AND status = 2 AND start_ns >= ${window.startNs} AND start_ns < ${window.endNs}`
  const text = (key: string) => `nullif(json_extract_string(nullif(attributes, ''), '/${key}'), '')`
  const called = `, coalesce(${text('peer.service')}, ${text('server.address')}) AS called`
  const dayBefore = `start_ns >= ${window.endNs - 24n * NS_PER_HOUR} AND start_ns < ${window.endNs}`
  await createTable(
    scope,
    'known',
    overUnits(scope, (unit) => `SELECT DISTINCT service FROM (${spansOf(unit, dayBefore)})`),
  )
  await createTable(
    scope,
    'calls',
    `SELECT * FROM (${overUnits(scope, (unit) => spansOf(unit, failed, called))})
    WHERE called <> service AND called IN (SELECT service FROM known)`,
  )
  await createTable(
    scope,
    'answers',
    overUnits(scope, (unit) => spansOf(unit, 'parent_id IN (SELECT span_id FROM calls)')),
  )
  const rows = await scope.session.rows(
    `SELECT called, count(*) AS failed FROM calls c WHERE NOT EXISTS (
       SELECT 1 FROM answers a WHERE a.trace_id = c.trace_id AND a.parent_id = c.span_id AND a.service = c.called)
     GROUP BY called`,
  )
  return rows.map((row) => ({ serviceName: row['called'] as string, failedCount: Number(row['failed']) }))
}
