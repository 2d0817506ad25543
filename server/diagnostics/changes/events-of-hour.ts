import type { RequestGroup, ResourceActivities } from '../../storage/diagnostics-reader.ts'
import { type MinuteSeries, MinuteTable, seriesByService } from '../anomalies/minute-series.ts'
import { LOOK_BACK_MINUTES, serviceAnomalies } from '../anomalies/service-anomalies.ts'
import { configurationChanges } from './configuration-changes.ts'
import { type FoundEvent, minuteOfNs } from './found-event.ts'
import type { GridState } from './grid-state.ts'
import { seeInstances, settledScalings, unsettledScalings } from './instance-changes.ts'
import { type ServiceMinute, serviceMinutes } from './service-minutes.ts'
import { newServiceState, type ServiceState } from './service-state.ts'
import { endRolls, versionChanges } from './version-changes.ts'

/** An hour of a Grid's telemetry. */
export interface HourOfTelemetry {
  /** In minutes since the epoch. */
  start: number
  end: number
  activities: ResourceActivities
  /** By service and minute, of the hour and of `LOOK_BACK_MINUTES` before it. */
  requests: RequestGroup[]
  /** Whether no hour follows yet: then what is still going on is told as it stands. */
  isLast: boolean
}

const WORK_MAX = 1_000_000

/**
 * What happened in an hour, given how things stood at the end of the one before. Alters `state` to how they stand at its
 * end. What began in an hour and is certain only in the next one is told there, so that each event comes from one hour.
 */
export function eventsOfHour(state: GridState, hour: HourOfTelemetry): FoundEvent[] {
  return [...eventsOfHourInParts(state, hour)].flat()
}

/** The same in small parts, between which others may work. */
export function* eventsOfHourInParts(state: GridState, hour: HourOfTelemetry): Generator<FoundEvent[]> {
  for (const [name, minutes] of serviceMinutes(hour.activities)) {
    const service = state.get(name) ?? newServiceState((minutes[0] as ServiceMinute).minute)
    state.set(name, service)
    yield minutes.flatMap((minute) => eventsOfMinute(service, name, minute))
  }
  const reached = hour.isLast ? lastMinute(hour) : hour.end
  for (const [name, service] of state) {
    endRolls(service, reached)
    yield settledScalings(service, name, reached)
    if (hour.isLast) yield unsettledScalings(service, name)
  }
  yield* anomaliesOfHour(state, hour)
}

function lastMinute({ start, activities: { rows } }: HourOfTelemetry): number {
  return rows.reduce((last, { minuteNs }) => Math.max(last, minuteOfNs(minuteNs)), start)
}

function eventsOfMinute(service: ServiceState, name: string, now: ServiceMinute): FoundEvent[] {
  endRolls(service, now.minute)
  const deployments = versionChanges(service, name, now)
  const configurations = configurationChanges(service, name, now)
  seeInstances(service, now)
  service.last = now.minute
  service.work = Math.min(
    WORK_MAX,
    now.rows.reduce((sum, { work }) => sum + work, service.work),
  )
  return [...deployments, ...configurations, ...settledScalings(service, name, now.minute)]
}

/** A minute can be judged once a later one has begun. */
function* anomaliesOfHour(
  state: GridState,
  { start, end, requests, isLast }: HourOfTelemetry,
): Generator<FoundEvent[]> {
  const series = seriesByService(requests)
  const known = new Set([...series.values()].flatMap((minutes) => [...minutes.keys()]))
  const judgedEnd = isLast ? Math.min(end, Math.max(start, ...known)) : end
  const none: MinuteSeries = new Map()
  const isKnown = (minute: number) => known.has(minute)
  for (const [serviceName, { anomalies, first }] of state) {
    yield serviceAnomalies(anomalies, {
      serviceName,
      table: new MinuteTable(series.get(serviceName) ?? none, start - LOOK_BACK_MINUTES, judgedEnd, isKnown),
      firstMinute: first,
      start,
      end: judgedEnd,
      isLast,
    })
  }
}
