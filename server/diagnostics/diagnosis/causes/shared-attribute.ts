import type { Span } from '../../../domain/span.ts'
import { fisherExactP } from '../../statistics/fisher-exact.ts'
import type { Contrast } from '../gather/contrasts.ts'
import type { Inquiry } from './inquiry.ts'
import { standingOut, textOf } from './standing-out.ts'
import { percent } from './wording.ts'

/** A value that bad requests share and good ones of the same time do not: a customer, a region, a feature. */
export interface SharedAttribute {
  key: string
  value: string
  evidence: string
}

/** What follows from a failure, or names the request itself, says nothing about why. */
const TELLS_NOTHING =
  /^(http\.(response|status|route|target|url|resend)|url\.|error|exception|otel\.|rpc\.|grpc\.|db\.|server\.|net\.|network\.|thread\.|code\.|service\.|telemetry\.|messaging\.(message|kafka|client|consumer)|.*status_?code|.*duration|.*retry)/

const RESOURCE_KEYS = [
  'cloud.availability_zone',
  'cloud.region',
  'k8s.cluster.name',
  'deployment.environment.name',
  'host.name',
  'k8s.node.name',
]

const BAD_SHARE_MIN = 0.7
const LIFT_MIN = 2
const P_VALUE_BELOW = 0.001

/** The surest of the values that bad requests share. */
export function sharedAttribute(inquiry: Inquiry, contrasts: Contrast[]): SharedAttribute | undefined {
  const found = contrasts.flatMap((contrast) => sharedByRequests(contrast))
  return found.toSorted((a, b) => a.pValue - b.pValue || b.badShare - a.badShare)[0] ?? sharedByResources(inquiry)
}

function sharedByResources(inquiry: Inquiry): SharedAttribute | undefined {
  for (const key of RESOURCE_KEYS) {
    const found = standingOut(inquiry, key)
    if (found === undefined) continue
    const { value, badShare, trafficShare } = found
    const evidence = `${percent(badShare)} of the bad requests looked at, but ${percent(trafficShare)} of all requests of ${inquiry.suspect.serviceName}, have ${key} ${value}`
    return { key, value, evidence }
  }
  return undefined
}

interface Candidate extends SharedAttribute {
  pValue: number
  badShare: number
}

function sharedByRequests({ sample: { bad, slowNs }, during }: Contrast): Candidate[] {
  const good = during.filter((span) => span.status !== 'ERROR' && (slowNs === undefined || span.durationNs < slowNs))
  if (bad.length < 5 || good.length < 5) return []
  const inBad = countValues(bad)
  const inGood = countValues(good)
  return [...inBad].flatMap(([pair, { key, value, count }]): Candidate[] => {
    const goodCount = inGood.get(pair)?.count ?? 0
    const badShare = count / bad.length
    const goodShare = goodCount / good.length
    if (badShare < BAD_SHARE_MIN || badShare < LIFT_MIN * goodShare) return []
    const pValue =
      inBad.size * fisherExactP({ part: goodCount, whole: good.length }, { part: count, whole: bad.length })
    const evidence = `${key} is ${value} in ${percent(badShare)} of ${bad.length} bad requests, and in ${percent(goodShare)} of ${good.length} good ones of the same time`
    return pValue < P_VALUE_BELOW ? [{ key, value, pValue, badShare, evidence }] : []
  })
}

function countValues(spans: Span[]): Map<string, { key: string; value: string; count: number }> {
  const counts = new Map<string, { key: string; value: string; count: number }>()
  for (const { attributes } of spans) {
    for (const [key, raw] of Object.entries(attributes)) {
      const value = textOf(raw)
      if (value === '' || TELLS_NOTHING.test(key)) continue
      const known = counts.get(`${key}\n${value}`)
      if (known) known.count++
      else counts.set(`${key}\n${value}`, { key, value, count: 1 })
    }
  }
  return counts
}
