import type { Attributes } from '../../../domain/attributes.ts'
import { spanKindOf } from '../../../domain/span.ts'
import type { TimeWindow } from '../../../domain/time-window.ts'
import type { ResourceActivities, ResourceActivity, ServiceSpans } from '../../diagnostics-reader.ts'
import type { Session } from '../engine/session.ts'
import { durationSum } from '../live/live-hour.ts'
import type { OpenFigures } from '../live/open-figures.ts'
import type { RolledDay } from '../rolled/rolled-days.ts'
import { LOCAL_ROOT, REQUEST } from '../schema.ts'
import { type HourUnit, overlaps } from '../scope/asked-files.ts'
import { namesOf, originsOf } from '../scope/hour-names.ts'
import { inRanges, minuteRanges, NS_PER_MINUTE } from '../scope/minute-ranges.ts'
import type { Scope } from '../scope/scope.ts'
import { attributesOf } from '../traces/span-rows-read.ts'
import { addedUp, asSums, durationHalves } from './added-up.ts'
import { daysIn, inHours } from './day-rows.ts'
import { eachOpenOrigin, type OriginFigure } from './open-origins.ts'
import { minuteOfStart } from './request-rows.ts'
import { dayBefore, type KnownServices, knownServices } from './services-known.ts'

const ROLES = REQUEST | LOCAL_ROOT
const MINUTES_PER_HOUR = 60

export async function serviceSpans(scope: Scope, window: TimeWindow): Promise<ServiceSpans[]> {
  const counts = new SpanCounts()
  await eachOrigin(scope, window, false, ({ service, kind, sums: [spans] }) => counts.add(service, kind, spans))
  for (const day of daysIn(scope.days, window)) await addSpansOf(day, scope.session, counts)
  return counts.answer()
}

async function addSpansOf(day: RolledDay, session: Session, counts: SpanCounts): Promise<void> {
  const answer = await session.numbers(
    `SELECT service_no, kind, sum(spans)::DOUBLE FROM ${day.file.alias}.spans_1h WHERE ${inHours(day)} GROUP BY ALL`,
  )
  const [services, kinds, spans] = [answer.column(0), answer.column(1), answer.column(2)]
  const nameOf = await namesOf(session, day.file, new Set(services.subarray(0, answer.rows)))
  for (let row = 0; row < answer.rows; row++)
    counts.add(nameOf(services[row] as number), kinds[row] as number, spans[row] as number)
}

/** The same from figures that have all of the window. */
export function serviceSpansInMemory(figures: OpenFigures, window: TimeWindow): ServiceSpans[] {
  const counts = new SpanCounts()
  eachOpenOrigin(figures, window, false, ({ service, kind, sums: [spans] }) => counts.add(service, kind, spans))
  return counts.answer()
}

/** The scope must reach a day back from the window's end. */
export async function resourceActivity(scope: Scope, window: TimeWindow): Promise<ResourceActivities> {
  const { entries } = await knownServices(scope, dayBefore(window))
  const activities = new Activities(entries)
  await eachOrigin(scope, window, true, (figure) => activities.add(figure))
  return activities.answer()
}

/** The same from figures that have all of the window. */
export function resourceActivityInMemory(
  figures: OpenFigures,
  { entries }: KnownServices,
  window: TimeWindow,
): ResourceActivities {
  const activities = new Activities(entries)
  eachOpenOrigin(figures, window, true, (figure) => activities.add(figure))
  return activities.answer()
}

/** Every span is counted under its role. */
async function eachOrigin(
  scope: Scope,
  window: TimeWindow,
  byMinute: boolean,
  each: (figure: OriginFigure) => void,
): Promise<void> {
  eachOpenOrigin(await scope.openFigures(), window, byMinute, each)
  const units = scope.units.filter(({ hour, file }) => file && overlaps(hour, window))
  const parts = units.flatMap((unit, i) => sealedOrigins(unit, i, window, byMinute))
  if (parts.length === 0) return
  const answer = await scope.session.numbers(addedUp(parts, 'origin_no, kind, role, minute', 4))
  const [unitOf, origins, kinds, roles, minutes] = [0, 1, 2, 3, 4].map((i) => answer.column(i)) as Float64Array[]
  const used = units.map(() => new Set<number>())
  for (let row = 0; row < answer.rows; row++) used[unitOf?.[row] as number]?.add(origins?.[row] as number)
  const originOf = []
  for (const [i, { file }] of units.entries())
    originOf.push(file ? await originsOf(scope.session, file, used[i] as Set<number>) : undefined)
  for (let row = 0; row < answer.rows; row++) {
    const unit = unitOf?.[row] as number
    const origin = originOf[unit]?.(origins?.[row] as number)
    if (!origin) continue
    const minute = (units[unit] as HourUnit).hour * MINUTES_PER_HOUR + (minutes?.[row] as number)
    each({
      ...origin,
      kind: kinds?.[row] as number,
      role: roles?.[row] as number,
      minute,
      sums: [5, 6, 7, 8].map((i) => answer.column(i)[row] as number) as OriginFigure['sums'],
    })
  }
}

function sealedOrigins({ file, hour }: HourUnit, index: number, window: TimeWindow, byMinute: boolean): string[] {
  if (!file) return []
  const { alias } = file
  const { whole, ragged } = minuteRanges(hour, window)
  const keys = (role: string, minute: string) =>
    `${index} AS unit, origin_no, kind, ${role} AS role, ${byMinute ? minute : '0'}::INTEGER AS minute`
  const parts: string[] = []
  if (whole)
    parts.push(
      `SELECT ${keys('role', 'minute')}, ${asSums('spans', 'errors', ...durationHalves())}
       FROM ${alias}.minute_origins WHERE minute >= ${whole.first} AND minute < ${whole.end}`,
    )
  const own = 'origin_no, kind, role, status, start_ns, duration_ns'
  const inTime = inRanges('start_ns', ragged)
  const minute = minuteOfStart(hour)
  if (ragged.length > 0)
    parts.push(
      `SELECT ${keys(`(role & ${ROLES})::UTINYINT`, minute)},
         ${asSums('n', 'CASE WHEN status = 2 THEN n ELSE 0 END', ...durationHalves('n'))}
       FROM (SELECT ${own}, 1 AS n FROM ${alias}.spans WHERE ${inTime}
         UNION ALL SELECT ${own}, n FROM ${alias}.request_corrections WHERE ${inTime})`,
    )
  return parts
}

class SpanCounts {
  private readonly byKey = new Map<string, ServiceSpans>()

  add(serviceName: string, kindNumber: number, count: number): void {
    const kind = spanKindOf(kindNumber)
    const key = JSON.stringify([serviceName, kind])
    const known = this.byKey.get(key)
    if (known) known.spanCount += count
    else this.byKey.set(key, { serviceName, kind, spanCount: count })
  }

  answer(): ServiceSpans[] {
    return [...this.byKey.values()].filter(({ spanCount }) => spanCount > 0)
  }
}

/** What each resource did, by minute. Resources are the same where they have the same attributes, in whatever order. */
class Activities {
  private readonly entries: Set<string>
  private readonly resources: Attributes[] = []
  private readonly indexesByText = new Map<string, number>()
  private readonly indexesByContent = new Map<string, number>()
  private readonly activities = new Map<string, ResourceActivity>()

  constructor(entries: Set<string>) {
    this.entries = entries
  }

  add({ service, resource, role, minute, sums: [spans, errors, low, high] }: OriginFigure): void {
    const resourceIndex = this.indexOf(resource)
    const key = `${resourceIndex} ${minute} ${service}`
    const activity = this.activities.get(key) ?? {
      serviceName: service,
      resourceIndex,
      minuteNs: BigInt(minute) * NS_PER_MINUTE,
      spanCount: 0,
      requestCount: 0,
      errorCount: 0,
      durationNsSum: 0n,
    }
    this.activities.set(key, activity)
    activity.spanCount += spans
    if ((role & (this.entries.has(service) ? REQUEST : LOCAL_ROOT)) === 0) return
    activity.requestCount += spans
    activity.errorCount += errors
    activity.durationNsSum += durationSum(low, high)
  }

  answer(): ResourceActivities {
    const rows = [...this.activities.values()].filter(({ spanCount }) => spanCount > 0)
    rows.sort((a, b) => (a.minuteNs < b.minuteNs ? -1 : a.minuteNs > b.minuteNs ? 1 : 0))
    return { resources: this.resources, rows }
  }

  private indexOf(text: string): number {
    const known = this.indexesByText.get(text)
    if (known !== undefined) return known
    const resource = attributesOf(text)
    const content = JSON.stringify(Object.entries(resource).sort(([a], [b]) => (a < b ? -1 : 1)))
    const index = this.indexesByContent.get(content) ?? this.resources.push(resource) - 1
    this.indexesByContent.set(content, index)
    this.indexesByText.set(text, index)
    return index
  }
}
