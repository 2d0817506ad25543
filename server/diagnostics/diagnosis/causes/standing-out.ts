import type { Attributes, AttributeValue } from '../../../domain/attributes.ts'
import { fisherExactP, type Share } from '../../statistics/fisher-exact.ts'
import { indexOn } from '../series/minute-axis.ts'
import type { CastVote } from '../suspects/suspect.ts'
import type { Inquiry } from './inquiry.ts'

/** An attribute value of the service's resources that bad requests have far more often than requests in general. */
export interface StandingOut {
  key: string
  value: string
  badCounts: Share
  /** By how bad they were. */
  badShare: number
  trafficShare: number
  /** How many other values had requests at the same time. */
  others: number
}

/** The resource of a bad request, and how much of the trouble it is. */
export interface BadResource {
  resource: Attributes
  weight: number
}

const BAD_SHARE_MIN = 0.75
const LIFT_MIN = 1.3
/** Where hardly any bad request has another value, most requests may have it anyway. */
const NEARLY_ALL = 0.97
const NEARLY_ALL_LIFT_MIN = 1.1
const P_VALUE_BELOW = 0.001

/** By one attribute. Undefined where the bad requests are spread like all the others. */
export function standingOut(inquiry: Inquiry, key: string): StandingOut | undefined {
  const bad = badByValue(inquiry, key)
  const traffic = trafficByValue(inquiry, key)
  const badTotal = sumOf(bad)
  const trafficTotal = sumOf(traffic)
  const [value, weight] = [...bad].toSorted(([, a], [, b]) => b - a)[0] ?? ['', 0]
  if (value === '' || trafficTotal === 0) return undefined
  const badShare = weight / badTotal
  const badCounts = badCountOf(inquiry, key, value)
  const own = traffic.get(value) ?? 0
  const trafficShare = own / trafficTotal
  const all = { part: own, whole: trafficTotal }
  // What is left of all requests without the bad ones tells more, unless nearly all of them are bad.
  const pValue = 2 * Math.min(fisherExactP(all, badCounts), fisherExactP(othersOf(all, badCounts), badCounts))
  const liftMin = badShare >= NEARLY_ALL ? NEARLY_ALL_LIFT_MIN : LIFT_MIN
  const standsOut = badShare >= BAD_SHARE_MIN && badShare >= liftMin * trafficShare && pValue < P_VALUE_BELOW
  return standsOut ? { key, value, badCounts, badShare, trafficShare, others: traffic.size - 1 } : undefined
}

/** All requests but the bad ones that were looked at, which are compared with them. */
function othersOf(all: Share, bad: Share): Share {
  const whole = Math.max(0, all.whole - bad.whole)
  return { part: Math.min(whole, Math.max(0, all.part - bad.part)), whole }
}

/** Where bad requests began in the suspect's service, by how bad they were. */
export function badByValue(inquiry: Inquiry, key: string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { resource, weight } of badResources(inquiry)) {
    const value = textOf(resource[key])
    if (value !== '') counts.set(value, (counts.get(value) ?? 0) + weight)
  }
  return counts
}

/** How many of the bad requests it is. */
export function badCountOf(inquiry: Inquiry, key: string, value: string): Share {
  const values = badResources(inquiry).map(({ resource }) => textOf(resource[key]))
  return { part: values.filter((each) => each === value).length, whole: values.filter(Boolean).length }
}

/** Of the service's spans in which bad requests began; where no request is known to be bad, of those that broke a habit. */
export function badResources({ suspect, details }: Inquiry): BadResource[] {
  const { votes, serviceName } = suspect
  const slow = votes.filter(({ by }) => by === 'time')
  const usualMs = slow.reduce((sum, { addedMs }) => sum + addedMs, 0) / Math.max(1, slow.length)
  // Some of the slow ones are hardly slower than slow ones always were.
  const weightOf = ({ by, addedMs }: CastVote) => (by === 'time' ? addedMs / Math.max(usualMs, 1e-9) : 1)
  const own = votes.filter(({ origin }) => origin.serviceName === serviceName)
  if (votes.length > 0) return own.map((vote) => ({ resource: vote.origin.resource, weight: weightOf(vote) }))
  const broken = details.witnesses.get(serviceName)?.broken ?? []
  return broken.map(({ resource }) => ({ resource, weight: 1 }))
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
