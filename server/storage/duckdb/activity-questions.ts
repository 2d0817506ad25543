import type { Attributes } from '../../domain/attributes.ts'
import { spanKindOf } from '../../domain/span.ts'
import type { TimeWindow } from '../../domain/time-window.ts'
import type { ResourceActivities, ResourceActivity, ServiceSpans } from '../diagnostics-reader.ts'
import { nsRangeOfHour } from './layout.ts'
import { openOriginRows } from './live/open-origins.ts'
import { inRanges, minuteOfColumn, minuteRanges, NS_PER_MINUTE } from './minute-ranges.ts'
import { LOCAL_ROOT, REQUEST } from './schema.ts'
import type { HourUnit, Scope } from './scope.ts'
import { dayBefore, knownServices } from './services-known.ts'
import type { Row } from './session.ts'
import { attributesOf } from './span-rows-read.ts'

const ROLES = REQUEST | LOCAL_ROOT

export async function serviceSpans(scope: Scope, window: TimeWindow): Promise<ServiceSpans[]> {
  const open = openOriginRows(await scope.openFigures(), window, false)
  const parts = scope.units.flatMap((unit) => sealedKinds(unit, window))
  const sealed =
    parts.length > 0
      ? await scope.session.rows(
          `SELECT service, kind, sum(spans)::DOUBLE AS spans FROM (${parts.join(' UNION ALL ')}) GROUP BY service, kind`,
        )
      : []
  const spans = new Map<string, ServiceSpans>()
  for (const row of [...sealed, ...open]) {
    const [serviceName, kind] = [row['service'] as string, spanKindOf(row['kind'] as number)]
    const key = JSON.stringify([serviceName, kind])
    const known = spans.get(key)
    spans.set(key, { serviceName, kind, spanCount: (known?.spanCount ?? 0) + Number(row['spans']) })
  }
  return [...spans.values()].filter(({ spanCount }) => spanCount > 0)
}

function sealedKinds({ file, hour }: HourUnit, window: TimeWindow): string[] {
  if (!file) return []
  const { alias } = file
  const { whole, ragged } = minuteRanges(hour, window)
  const parts: string[] = []
  if (whole)
    parts.push(`SELECT g.service_no, kind, spans FROM ${alias}.minute_origins JOIN ${alias}.origins g USING (origin_no)
      WHERE minute >= ${whole.first} AND minute < ${whole.end}`)
  if (ragged.length > 0)
    parts.push(`SELECT service_no, kind, 1 AS spans FROM ${alias}.spans WHERE ${inRanges('start_ns', ragged)}`)
  if (parts.length === 0) return []
  return [
    `SELECT n.name AS service, kind, sum(spans) AS spans FROM (${parts.join(' UNION ALL ')})
     JOIN ${alias}.names n ON n.name_no = service_no GROUP BY n.name, kind`,
  ]
}

/** The scope must reach a day back from the window's end. */
export async function resourceActivity(scope: Scope, window: TimeWindow): Promise<ResourceActivities> {
  const open = openOriginRows(await scope.openFigures(), window, true)
  const parts = scope.units.flatMap((unit) => sealedOrigins(unit, window))
  if (parts.length === 0 && open.length === 0) return { resources: [], rows: [] }
  const { entries } = await knownServices(scope, dayBefore(window))
  const sealed =
    parts.length > 0
      ? await scope.session.rows(
          `SELECT service, resource, minute_ns, role, spans::DOUBLE AS spans, requests::DOUBLE AS requests,
             errors::DOUBLE AS errors, duration_ns FROM (${parts.join(' UNION ALL ')})`,
        )
      : []
  return activitiesOf([...sealed, ...open], entries)
}

/** Every span is counted under its role. */
function sealedOrigins({ file, hour }: HourUnit, window: TimeWindow): string[] {
  if (!file) return []
  const { alias } = file
  const { whole, ragged } = minuteRanges(hour, window)
  const parts: string[] = []
  const minuteNs = `${nsRangeOfHour(hour).firstNs} + minute * ${NS_PER_MINUTE} AS minute_ns`
  if (whole)
    parts.push(`SELECT origin_no, ${minuteNs}, role, spans, errors, duration_ns FROM ${alias}.minute_origins
      WHERE minute >= ${whole.first} AND minute < ${whole.end}`)
  const inTime = inRanges('start_ns', ragged)
  const own = `origin_no, ${minuteOfColumn('start_ns')} AS minute_ns, (role & ${ROLES})::UTINYINT AS role`
  const sums = (n: string) =>
    `${n} AS spans, CASE WHEN status = 2 THEN ${n} ELSE 0 END AS errors, ${n}::HUGEINT * duration_ns AS duration_ns`
  if (ragged.length > 0)
    parts.push(
      `SELECT ${own}, ${sums('1')} FROM ${alias}.spans WHERE ${inTime}`,
      `SELECT ${own}, ${sums('n')} FROM ${alias}.request_corrections WHERE ${inTime}`,
    )
  if (parts.length === 0) return []
  return [
    `SELECT v.name AS service, g.resource, minute_ns, role, spans, spans AS requests, errors, duration_ns FROM (
       SELECT origin_no, minute_ns, role, sum(spans) AS spans, sum(errors) AS errors, sum(duration_ns) AS duration_ns
       FROM (${parts.join(' UNION ALL ')}) GROUP BY origin_no, minute_ns, role) s
     JOIN ${alias}.origins g ON g.origin_no = s.origin_no JOIN ${alias}.names v ON v.name_no = g.service_no`,
  ]
}

function activitiesOf(rows: Row[], entries: Set<string>): ResourceActivities {
  const resources: Attributes[] = []
  const indexes = new Map<string, number>()
  const activities = new Map<string, ResourceActivity>()
  const indexOf = (json: string) => {
    const resource = attributesOf(json)
    const key = JSON.stringify(Object.entries(resource).sort(([a], [b]) => (a < b ? -1 : 1)))
    const index = indexes.get(key) ?? resources.push(resource) - 1
    indexes.set(key, index)
    return index
  }
  const indexesByText = new Map<string, number>()
  for (const row of rows) {
    const text = row['resource'] as string
    const resourceIndex = indexesByText.get(text) ?? indexOf(text)
    indexesByText.set(text, resourceIndex)
    addActivity(activities, row, resourceIndex, entries)
  }
  const active = [...activities.values()].filter(({ spanCount }) => spanCount > 0)
  return { resources, rows: active.sort((a, b) => (a.minuteNs < b.minuteNs ? -1 : a.minuteNs > b.minuteNs ? 1 : 0)) }
}

function addActivity(
  activities: Map<string, ResourceActivity>,
  row: Row,
  resourceIndex: number,
  entries: Set<string>,
): void {
  const serviceName = row['service'] as string
  const key = JSON.stringify([serviceName, resourceIndex, String(row['minute_ns'])])
  const activity = activities.get(key) ?? {
    serviceName,
    resourceIndex,
    minuteNs: BigInt(String(row['minute_ns'])),
    spanCount: 0,
    requestCount: 0,
    errorCount: 0,
    durationNsSum: 0n,
  }
  activities.set(key, activity)
  activity.spanCount += Number(row['spans'])
  if (((row['role'] as number) & (entries.has(serviceName) ? REQUEST : LOCAL_ROOT)) === 0) return
  activity.requestCount += Number(row['requests'])
  activity.errorCount += Number(row['errors'])
  activity.durationNsSum += BigInt(String(row['duration_ns']))
}
