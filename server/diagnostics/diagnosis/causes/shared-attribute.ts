import type { Attributes } from '../../../domain/attributes.ts'
import type { Span } from '../../../domain/span.ts'
import { fisherExactP } from '../../statistics/fisher-exact.ts'
import type { Inquiry } from './inquiry.ts'
import { standingOut, textOf } from './standing-out.ts'
import { percent } from './wording.ts'

/** A value that bad requests share and good ones of the same time do not: a customer, a region, a feature. */
export interface SharedAttribute {
  key: string
  value: string
  evidence: string
}

/** What is known of a request, and how bad it was. */
export interface Circumstance {
  attributes: Attributes
  weight: number
}

/** Bad requests, and good ones of the same kind and time. */
export interface Contrast {
  bad: Circumstance[]
  good: Circumstance[]
}

/** What follows from a failure, or names the request itself, says nothing about why. */
const TELLS_NOTHING =
  /^(http\.(request\.method|method|response|status|route|target|url|resend)|url\.|error|exception|otel\.|rpc\.|grpc\.|db\.|server\.|net\.|network\.|thread\.|code\.|service\.|telemetry\.|messaging\.(message|kafka|client|consumer)|.*status_?code|.*duration|.*retry)/

const RESOURCE_KEYS = [
  'cloud.availability_zone',
  'cloud.region',
  'k8s.cluster.name',
  'deployment.environment.name',
  'host.name',
  'k8s.node.name',
]

const REQUESTS_MIN = 5
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
    const { value, badCounts, trafficShare } = found
    const evidence = `${badCounts.part} of ${badCounts.whole} bad requests looked at, but ${percent(trafficShare)} of all requests of ${inquiry.suspect.serviceName}, have ${key} ${value}`
    return { key, value, evidence }
  }
  return undefined
}

interface Candidate extends SharedAttribute {
  pValue: number
  badShare: number
}

/** Values that bad requests have far more often than good ones; how bad they are counts. */
export function sharedByRequests({ bad, good }: Contrast): Candidate[] {
  if (bad.length < REQUESTS_MIN || good.length < REQUESTS_MIN) return []
  const inBad = countValues(bad)
  const inGood = countValues(good)
  const telling = tellingOf({ bad, good })
  return [...inBad].flatMap(([pair, { key, value, count, weight: own }]): Candidate[] => {
    const compared = telling(key)
    const goodCount = inGood.get(pair)?.count ?? 0
    const badShare = own / compared.badWeight
    const goodShare = goodCount / compared.good
    const countShare = count / compared.bad
    if (badShare < BAD_SHARE_MIN || badShare < LIFT_MIN * goodShare || countShare < goodShare) return []
    const pValue =
      inBad.size * fisherExactP({ part: goodCount, whole: compared.good }, { part: count, whole: compared.bad })
    const evidence = `${key} is ${value} in ${percent(countShare)} of ${compared.bad} bad requests, and in ${percent(goodShare)} of ${compared.good} good ones of the same time`
    return pValue < P_VALUE_BELOW ? [{ key, value, pValue, badShare, evidence }] : []
  })
}

/** How many requests are compared by an attribute: those that have it, where enough of both kinds do, else all of them. */
function tellingOf({ bad, good }: Contrast): (key: string) => { bad: number; badWeight: number; good: number } {
  const sumsOf = (requests: Circumstance[]) => ({
    bad: requests.length,
    badWeight: requests.reduce((sum, { weight }) => sum + weight, 0),
  })
  const found = new Map<string, { bad: number; badWeight: number; good: number }>()
  return (key) => {
    const known = found.get(key)
    if (known) return known
    const having = (requests: Circumstance[]) => requests.filter(({ attributes }) => textOf(attributes[key]) !== '')
    const [some, others] = [having(bad), having(good)]
    const areEnough = some.length >= REQUESTS_MIN && others.length >= REQUESTS_MIN
    const compared = areEnough ? { ...sumsOf(some), good: others.length } : { ...sumsOf(bad), good: good.length }
    found.set(key, compared)
    return compared
  }
}

interface Counted {
  key: string
  value: string
  count: number
  weight: number
}

function countValues(requests: Circumstance[]): Map<string, Counted> {
  const counts = new Map<string, Counted>()
  for (const { attributes, weight } of requests) {
    for (const [key, raw] of Object.entries(attributes)) {
      const value = textOf(raw)
      if (value === '' || TELLS_NOTHING.test(key)) continue
      const known = counts.get(`${key}\n${value}`)
      if (known) {
        known.count++
        known.weight += weight
      } else counts.set(`${key}\n${value}`, { key, value, count: 1, weight })
    }
  }
  return counts
}

/** What a request says of itself, and what those say that led to it, the nearest of them first. */
export function circumstanceOf(span: Span, weight: number, ancestors: Span[]): Circumstance {
  const farthestFirst = [span, ...ancestors].reverse().map(({ attributes }) => attributes)
  return { attributes: Object.assign({}, ...farthestFirst), weight }
}
