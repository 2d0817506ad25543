import type { Attributes } from '../../../domain/attributes.ts'
import type { RequestGroup, ResourceActivities, ResourceActivity } from '../../../storage/diagnostics-reader.ts'
import { LOOK_BACK_MINUTES } from '../../anomalies/service-anomalies.ts'
import { eventsOfHour } from '../events-of-hour.ts'
import type { FoundEvent } from '../found-event.ts'
import { type GridState, stateOfText, textOfState } from '../grid-state.ts'

/** A whole hour, in minutes since the epoch: scenarios count their minutes from it. */
const BASE = Date.UTC(2026, 2, 1, 10) / 60_000
const NS_PER_MINUTE = 60_000_000_000n

/** Requests of one instance of a service, from a minute up to, and without, another one. */
export interface Traffic {
  service?: string
  from: number
  to: number
  instance?: string
  version?: string
  attributes?: Attributes
  /** Requests in each minute; with less than 1 there is one now and then. */
  perMinute?: number | ((minute: number) => number)
  errorPercent?: number
  latencyMs?: number | ((minute: number) => number)
}

/** Changes that are found in traffic, hour by hour, as lines like `+65 deployment cart: deployed version 2 (previously 1)`. */
export function found(...traffic: Traffic[]): string[] {
  return eventsIn(traffic)
    .filter((event) => !isAnomaly(event))
    .map(lineOf)
}

/** Anomalies and recoveries likewise. */
export function foundAnomalies(...traffic: Traffic[]): string[] {
  return eventsIn(traffic).filter(isAnomaly).map(lineOf)
}

function isAnomaly({ type }: FoundEvent): boolean {
  return type === 'anomaly' || type === 'recovery'
}

export function eventsIn(traffic: Traffic[]): FoundEvent[] {
  const hours = [...new Set(traffic.flatMap(({ from, to }) => hoursBetween(from, to)))].sort((a, b) => a - b)
  let state: GridState = new Map()
  const events = hours.flatMap((hour) => {
    const start = BASE + hour * 60
    state = stateOfText(textOfState(state)) ?? new Map()
    const near = traffic.filter(({ from, to }) => to > hour * 60 - LOOK_BACK_MINUTES && from < hour * 60 + 60)
    return eventsOfHour(state, {
      start,
      end: start + 60,
      activities: activitiesOf(near, hour * 60, hour * 60 + 60),
      requests: requestsOf(near, hour * 60 - LOOK_BACK_MINUTES, hour * 60 + 60),
      isLast: hour === hours.at(-1),
    })
  })
  return events.sort((a, b) => a.atMs - b.atMs)
}

function lineOf({ atMs, type, serviceName, description }: FoundEvent): string {
  return `+${atMs / 60_000 - BASE} ${type} ${serviceName}: ${description}`
}

function hoursBetween(from: number, to: number): number[] {
  const first = Math.floor(from / 60)
  return Array.from({ length: Math.ceil(to / 60) - first }, (_, n) => first + n)
}

interface Load {
  requests: number
  errors: number
  durationNsSum: bigint
}

function loadAt({ from, perMinute = 20, errorPercent = 0, latencyMs = 50 }: Traffic, minute: number): Load {
  const rate = typeof perMinute === 'function' ? perMinute(minute) : perMinute
  const requests = Math.floor((minute - from + 1) * rate) - Math.floor((minute - from) * rate)
  const ms = typeof latencyMs === 'function' ? latencyMs(minute) : latencyMs
  return {
    requests,
    errors: Math.round((requests * errorPercent) / 100),
    durationNsSum: BigInt(Math.round(requests * ms * 1e6)),
  }
}

function activitiesOf(traffic: Traffic[], start: number, end: number): ResourceActivities {
  const resources = traffic.map(({ service = 'cart', instance, version, attributes = {} }) => ({
    'service.name': service,
    ...(instance === undefined ? {} : { 'service.instance.id': instance }),
    ...(version === undefined ? {} : { 'service.version': version }),
    ...attributes,
  }))
  const rows = traffic.flatMap((part, resourceIndex) =>
    minutesOf(part, start, end).flatMap(({ minute, load: { requests, errors, durationNsSum } }): ResourceActivity[] => [
      {
        serviceName: part.service ?? 'cart',
        resourceIndex,
        minuteNs: BigInt(BASE + minute) * NS_PER_MINUTE,
        spanCount: requests * 3,
        requestCount: requests,
        errorCount: errors,
        durationNsSum,
      },
    ]),
  )
  return { resources, rows: rows.sort((a, b) => Number(a.minuteNs - b.minuteNs)) }
}

function requestsOf(traffic: Traffic[], start: number, end: number): RequestGroup[] {
  const groups = new Map<string, RequestGroup>()
  for (const part of traffic) {
    for (const { minute, load } of minutesOf(part, start, end)) {
      const serviceName = part.service ?? 'cart'
      const known = groups.get(`${minute} ${serviceName}`) ?? {
        serviceName,
        operationName: '',
        kind: 'INTERNAL',
        minuteNs: BigInt(BASE + minute) * NS_PER_MINUTE,
        requestCount: 0,
        errorCount: 0,
        durationNsSum: 0n,
        satisfiedCount: 0,
        toleratingCount: 0,
        latencies: { exactNs: [], buckets: [], counts: [] },
      }
      groups.set(`${minute} ${serviceName}`, {
        ...known,
        requestCount: known.requestCount + load.requests,
        errorCount: known.errorCount + load.errors,
        durationNsSum: known.durationNsSum + load.durationNsSum,
      })
    }
  }
  return [...groups.values()]
}

function minutesOf(part: Traffic, start: number, end: number): { minute: number; load: Load }[] {
  const from = Math.max(part.from, start)
  const count = Math.max(0, Math.min(part.to, end) - from)
  const minutes = Array.from({ length: count }, (_, n) => ({ minute: from + n, load: loadAt(part, from + n) }))
  return minutes.filter(({ load }) => load.requests > 0)
}
