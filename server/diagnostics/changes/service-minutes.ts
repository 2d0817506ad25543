import type { ResourceActivities } from '../../storage/diagnostics-reader.ts'
import { minuteOfNs } from './found-event.ts'
import { type Traits, traitsOf } from './resource-traits.ts'

/** What a service did in one minute, by whom. */
export interface ServiceMinute {
  minute: number
  rows: { traits: Traits; work: number }[]
}

/**
 * The minutes of each service in which it did something, ascending. Work is counted in requests, which spread over instances
 * by chance, as the spans of one request do not.
 */
export function serviceMinutes({ resources, rows }: ResourceActivities): Map<string, ServiceMinute[]> {
  const traits = resources.map(traitsOf)
  const services = new Map<string, Map<number, ServiceMinute>>()
  for (const row of rows) {
    const minutes = services.get(row.serviceName) ?? new Map<number, ServiceMinute>()
    services.set(row.serviceName, minutes)
    const minute = minuteOfNs(row.minuteNs)
    const known = minutes.get(minute) ?? { minute, rows: [] }
    minutes.set(minute, known)
    known.rows.push({ traits: traits[row.resourceIndex] as Traits, work: Math.max(1, row.requestCount) })
  }
  const inOrder = [...services].sort(([a], [b]) => (a < b ? -1 : 1))
  return new Map(inOrder.map(([name, minutes]) => [name, [...minutes.values()].sort((a, b) => a.minute - b.minute)]))
}

/** By name, so that whatever is made of it does not depend on the order of the rows. */
export function workBy({ rows }: ServiceMinute, trait: keyof Traits): Map<string, number> {
  const sums = new Map<string, number>()
  for (const { traits, work } of rows) sums.set(traits[trait], (sums.get(traits[trait]) ?? 0) + work)
  return new Map([...sums].sort(([a], [b]) => (a < b ? -1 : 1)))
}
