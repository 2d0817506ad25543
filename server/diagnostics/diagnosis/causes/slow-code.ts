import { percentileMs } from '../../../domain/latencies.ts'
import type { Sample } from '../facts.ts'
import { meanMs, minutesOf, sumsOver } from '../series/minute-series.ts'
import type { Symptom } from '../symptoms/symptom.ts'
import { callsTo, type Explanation, type Inquiry } from './inquiry.ts'
import { milliseconds, times } from './wording.ts'

const MORE_CALLS_FACTOR_MIN = 2
const VOTES_SHARE_MIN = 0.3
const TELLING_SHARE_MIN = 0.5
const FELT_MS_MIN = 10

/** The service takes longer itself, or asks others far more often for each request than it did. */
export function slowCode(inquiry: Inquiry): Explanation | undefined {
  return moreCalls(inquiry) ?? moreTime(inquiry)
}

function moreTime(inquiry: Inquiry): Explanation | undefined {
  const { suspect } = inquiry
  const inside = suspect.votes.filter(({ place, by }) => place.at === 'inside' && by === 'time')
  if (inside.length < VOTES_SHARE_MIN * suspect.votes.length) return undefined
  const added = inside.map(({ addedMs }) => addedMs).toSorted((a, b) => a - b)[Math.floor(inside.length / 2)] ?? 0
  const operations = new Map<string, number>()
  for (const { origin } of inside) operations.set(origin.operationName, (operations.get(origin.operationName) ?? 0) + 1)
  const [operation] = [...operations].toSorted(([, a], [, b]) => b - a)[0] ?? ['']
  return {
    cause: 'slowCode',
    detail: operation,
    strength: strengthOf(slowdownOf(inquiry), added) * (0.7 + 0.3 * (inside.length / suspect.votes.length)),
    evidence: [
      `${inside.length} of ${suspect.votes.length} bad requests looked at spent most of their added time in ${suspect.serviceName} itself, ${milliseconds(added)} more than usual at the median, as in trace ${inside[0]?.traceId ?? ''}`,
    ],
    mayFollow: true,
  }
}

/** A little slower, or by a little, is what a service also is on a busy day. */
function strengthOf(factor: number, addedMs: number): number {
  if (factor < 1.5 || (factor < 2 && addedMs < FELT_MS_MIN)) return 0.42
  return factor < 2 ? 0.55 : 0.62
}

/** How many times as long the requests took that the suspect explains, where they grew most. */
function slowdownOf({ suspect: { shares }, details: { samples } }: Inquiry): number {
  const grown = [...shares].filter(([{ kind }, share]) => kind === 'latency' && share >= TELLING_SHARE_MIN)
  return Math.max(1, ...grown.map(([symptom]) => growthOf(symptom, samples)))
}

/** By the median or the p95, whichever grew more: a mean is easily moved by one of many requests. */
function growthOf(symptom: Symptom, samples: Sample[]): number {
  const latencies = samples.find((sample) => sample.symptom === symptom)?.latencies
  const { before, during } = symptom
  const ofMeans = meanMs(during) / Math.max(meanMs(before), 0.01)
  if (latencies === undefined) return ofMeans
  const ratioOf = (percentile: number) =>
    percentileMs(latencies.during, percentile) / Math.max(percentileMs(latencies.calm, percentile), 0.01)
  return Math.max(ratioOf(50), ratioOf(95))
}

function moreCalls(inquiry: Inquiry): Explanation | undefined {
  const { suspect, overview, episode, calm } = inquiry
  const series = overview.services.find(({ serviceName }) => serviceName === suspect.serviceName)
  const targets = new Set(
    suspect.votes.flatMap(({ place }) => (place.at === 'call' && !place.targetIsService ? [place.targetName] : [])),
  )
  if (series === undefined) return undefined
  const requests = { before: sumsOver(series, calm).requests, during: sumsOver(series, minutesOf(episode)).requests }
  for (const targetName of targets) {
    const calls = callsTo(inquiry, targetName)
    if (calls === undefined || requests.before === 0 || requests.during === 0) continue
    const [before, during] = [calls.before.requests / requests.before, calls.during.requests / requests.during]
    if (before === 0 || during < MORE_CALLS_FACTOR_MIN * before) continue
    return {
      cause: 'slowCode',
      detail: `calls to ${targetName}`,
      strength: 0.66,
      evidence: [
        `${suspect.serviceName} calls ${targetName} ${times(during / before)} as often for each request as before: ${Math.round(during * 10) / 10} instead of ${Math.round(before * 10) / 10} (services)`,
      ],
      mayFollow: false,
    }
  }
  return undefined
}
