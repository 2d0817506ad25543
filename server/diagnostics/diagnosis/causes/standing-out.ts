import type { Attributes, AttributeValue } from '../../../domain/attributes.ts'
import { fisherExactP } from '../../statistics/fisher-exact.ts'
import { indexOn } from '../series/minute-axis.ts'
import type { Inquiry } from './inquiry.ts'

/** An attribute value of the service's resources that bad requests have far more often than requests in general. */
export interface StandingOut {
  key: string
  value: string
  badCount: number
  badShare: number
  trafficShare: number
  /** How many other values had requests at the same time. */
  others: number
}

const BAD_SHARE_MIN = 0.75
const LIFT_MIN = 1.3
const P_VALUE_BELOW = 0.001

/** By one attribute. Undefined where the bad requests are spread like all the others. */
export function standingOut(inquiry: Inquiry, key: string): StandingOut | undefined {
  const bad = badByValue(inquiry, key)
  const traffic = trafficByValue(inquiry, key)
  const badTotal = sumOf(bad)
  const trafficTotal = sumOf(traffic)
  const [value, badCount] = [...bad].toSorted(([, a], [, b]) => b - a)[0] ?? ['', 0]
  if (value === '' || trafficTotal === 0) return undefined
  const badShare = badCount / badTotal
  const own = traffic.get(value) ?? 0
  const trafficShare = own / trafficTotal
  const pValue = fisherExactP({ part: own, whole: trafficTotal }, { part: badCount, whole: badTotal })
  const standsOut = badShare >= BAD_SHARE_MIN && badShare >= LIFT_MIN * trafficShare && pValue < P_VALUE_BELOW
  return standsOut ? { key, value, badCount, badShare, trafficShare, others: traffic.size - 1 } : undefined
}

/** Where bad requests began in the suspect's service. */
export function badByValue(inquiry: Inquiry, key: string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const resource of badResources(inquiry)) {
    const value = textOf(resource[key])
    if (value !== '') counts.set(value, (counts.get(value) ?? 0) + 1)
  }
  return counts
}

/** Of the service's spans in which bad requests began; where no request is known to be bad, of those that broke a habit. */
export function badResources({ suspect, details }: Inquiry): Attributes[] {
  const origins = suspect.votes.map(({ origin }) => origin)
  const bad = origins.length > 0 ? origins : (details.witnesses.get(suspect.serviceName)?.broken ?? [])
  return bad.filter(({ serviceName }) => serviceName === suspect.serviceName).map(({ resource }) => resource)
}

/** Requests of the suspect's service while the trouble lasted. */
export function trafficByValue({ suspect, overview, details, episode }: Inquiry, key: string): Map<string, number> {
  const { resources, rows } = details.resources
  const counts = new Map<string, number>()
  for (const { serviceName, resourceIndex, minuteNs, requestCount } of rows) {
    if (serviceName !== suspect.serviceName || requestCount === 0) continue
    const minute = indexOn(overview.axis, minuteNs)
    if (minute === undefined || minute < episode.from || minute >= episode.to) continue
    const value = textOf(resources[resourceIndex]?.[key])
    if (value !== '') counts.set(value, (counts.get(value) ?? 0) + requestCount)
  }
  return counts
}

export function textOf(value: AttributeValue | undefined): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}

function sumOf(counts: Map<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0)
}
