import type { CallGraph } from '../call-graph.ts'
import { operationKey } from '../suspects/suspect.ts'
import type { Symptom } from '../symptoms/symptom.ts'
import type { Charge } from './charge.ts'

/** A caller suffers where at least this share of its bad requests began at the fault. */
const SHARE_MIN = 0.2

/** The symptoms that a charge accounts for: by the requests that were looked at, or by where and when they began. */
export function symptomsOf({ inquiry, followers }: Charge, symptoms: Symptom[], graph: CallGraph): Symptom[] {
  const { suspect, episode } = inquiry
  const callers = graph.callersOf(suspect.serviceName)
  const passed = new Set([suspect, ...followers].flatMap(({ votes }) => votes.flatMap(({ path }) => path)))
  return symptoms.filter((symptom) => {
    const shares = [suspect, ...followers].flatMap((one) => one.shares.get(symptom) ?? [])
    if (shares.length > 0) return Math.max(...shares) >= SHARE_MIN
    if (symptom.isLookedAt || symptom.episode.from < episode.from - 1) return false
    const { subject, serviceName } = symptom
    if (subject.of !== 'operation') return callers.has(serviceName)
    return passed.has(operationKey(serviceName, subject.series.operationName))
  })
}

/** The service at fault, then its callers that suffer from it, nearest first. `symptoms` are those that it accounts for. */
export function affectedServices({ inquiry, followers }: Charge, symptoms: Symptom[], graph: CallGraph): string[] {
  const { serviceName } = inquiry.suspect
  const distances = graph.callersOf(serviceName)
  const distanceOf = (name: string) => distances.get(name) ?? Number.POSITIVE_INFINITY
  const suffering = new Set([...followers, ...symptoms].map((one) => one.serviceName))
  suffering.delete(serviceName)
  const nearestFirst = [...suffering].toSorted((a, b) => distanceOf(a) - distanceOf(b) || (a < b ? -1 : 1))
  return [serviceName, ...nearestFirst]
}
