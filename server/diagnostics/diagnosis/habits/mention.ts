import type { CallGraph } from '../call-graph.ts'
import type { Episode } from '../series/minute-axis.ts'
import { type EdgeSeries, minutesOf, sumsOver } from '../series/minute-series.ts'
import { failureClassOf } from '../traces/failure.ts'
import { longestMentions } from './longest-mentions.ts'

/** Who is meant by a newly reported failure that speaks of someone else by name. */
export interface Mention {
  /** Where the trouble then is: at the service that is spoken of, or at the one that calls what is spoken of. */
  serviceName: string
  /** What is spoken of where it is something outside; undefined where it is a service. */
  dependencyName: string | undefined
}

/** A failure that somebody reported in words. */
export interface Report {
  serviceName: string
  text: string
  episode: Episode
}

/** Whoever speaks of a service by its name need not complain of it; who tells of a call that failed does. */
const CALL_WORDS =
  /answer|respon|returned|status|\bcall|request to|upstream|downstream|retry|without|unavailable|unreachable|\b5\d\d\b/i
const FAILURES_OF_CALLS = new Set(['rejected', 'refused', 'timeout', 'throttled'])
const FAILED_MIN = 3
const FAILED_FACTOR_MIN = 2

/**
 * The dependency outside that a report names, at the service that calls it: the reporter, or one on whose answers it depends and
 * whose words it passes on. Else the service below the reporter that it names; of several the furthest, whose words came up.
 */
export function mentionOf(
  report: Report,
  edges: EdgeSeries[],
  graph: CallGraph,
  others: Report[],
): Mention | undefined {
  const { serviceName, text } = report
  const isBelow = (name: string) => graph.callersOf(name).has(serviceName)
  const outside = edges.filter((edge) => !edge.targetIsService && !edge.isMessage && isBelow(edge.sourceName))
  const services = servicesOf(edges).filter((name) => name !== serviceName && isBelow(name))
  const named = longestMentions(text, [...services, ...outside.flatMap(({ targetName }) => namesOf(targetName))])
  const mentioned = outside.filter(({ targetName }) => namesOf(targetName).some((name) => named.has(name)))
  const edge = callerAtFault(mentioned, report, graph, others)
  if (edge) return { serviceName: edge.sourceName, dependencyName: edge.targetName }
  if (!FAILURES_OF_CALLS.has(failureClassOf(text)) && !CALL_WORDS.test(text)) return undefined
  const distanceOf = (name: string) => graph.callersOf(name).get(serviceName) ?? 0
  const [furthest] = services.filter((name) => named.has(name)).toSorted((a, b) => distanceOf(b) - distanceOf(a))
  return furthest === undefined ? undefined : { serviceName: furthest, dependencyName: undefined }
}

/** Of several who call the same thing outside: the furthest below the reporter that is seen to suffer from it, else the reporter. */
function callerAtFault(calls: EdgeSeries[], { serviceName, episode }: Report, graph: CallGraph, others: Report[]) {
  const distanceOf = ({ sourceName }: EdgeSeries) => graph.callersOf(sourceName).get(serviceName) ?? 0
  const furthestFirst = calls.toSorted((a, b) => distanceOf(b) - distanceOf(a))
  const suffers = (edge: EdgeSeries) => fails(edge, episode) || others.some((other) => speaksOf(other, edge))
  const isOwn = ({ sourceName }: EdgeSeries) => sourceName === serviceName
  return furthestFirst.find((edge) => !isOwn(edge) && suffers(edge)) ?? calls.find(isOwn) ?? furthestFirst[0]
}

function speaksOf({ serviceName, text }: Report, { sourceName, targetName }: EdgeSeries): boolean {
  return serviceName === sourceName && longestMentions(text, namesOf(targetName)).size > 0
}

function fails(edge: EdgeSeries, episode: Episode): boolean {
  const during = sumsOver(edge, minutesOf(episode))
  const before = sumsOver(edge, minutesOf({ from: 0, to: episode.from }))
  const share = (sums: { requests: number; errors: number }) => sums.errors / Math.max(1, sums.requests)
  return during.errors >= FAILED_MIN && share(during) >= FAILED_FACTOR_MIN * share(before)
}

function servicesOf(edges: EdgeSeries[]): string[] {
  return [...new Set(edges.flatMap(({ targetIsService, targetName }) => (targetIsService ? [targetName] : [])))]
}

/** A database is known by its namespace too: `postgresql/orders`. */
function namesOf(targetName: string): string[] {
  const [, namespace = ''] = targetName.split('/')
  return namespace === '' ? [targetName] : [targetName, namespace]
}
