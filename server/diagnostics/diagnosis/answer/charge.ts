import type { CallGraph } from '../call-graph.ts'
import { type Explanation, type Inquiry, inquiryInto } from '../causes/inquiry.ts'
import { explanationsOf } from '../causes/known-causes.ts'
import type { Details, Overview } from '../facts.ts'
import { NS_PER_MINUTE } from '../series/minute-axis.ts'
import type { Suspect } from '../suspects/suspect.ts'

/** A suspect with the best explanation for what it did. */
export interface Charge {
  inquiry: Inquiry
  explanation: Explanation
  /** The next best one. */
  runnerUp: Explanation | undefined
  /** Suspects whose trouble follows from this one. */
  followers: Suspect[]
}

/** One charge for each cause: what follows from another charge is part of it. Most votes first. */
export function chargesOf(suspects: Suspect[], overview: Overview, details: Details, graph: CallGraph): Charge[] {
  const charges = suspects.flatMap((suspect): Charge[] => {
    const inquiry = inquiryInto(suspect, overview, details)
    const [explanation, runnerUp] = explanationsOf(inquiry)
    return explanation ? [{ inquiry, explanation, runnerUp, followers: [] }] : []
  })
  const kept: Charge[] = []
  for (const charge of charges) {
    const leader = charges.find((other) => other !== charge && leads(other, charge, graph))
    if (leader) leader.followers.push(charge.inquiry.suspect)
    else kept.push(charge)
  }
  return kept
}

function leads(leader: Charge, follower: Charge, graph: CallGraph): boolean {
  if (sameDependency(leader, follower)) return isStronger(leader, follower)
  const mayFollow = follower.explanation.mayFollow || (isBroken(leader) && isFailure(follower))
  if (!mayFollow || follower.inquiry.suspect === leader.inquiry.suspect) return false
  const [above, below] = [follower.inquiry.suspect, leader.inquiry.suspect]
  if (!graph.callersOf(below.serviceName).has(above.serviceName)) return false
  if (above.speaksOf.has(below.serviceName) && isAcyclic(above, below, graph)) return true
  // Whoever leaves something out does not do so because another one is slow.
  if (above.votes.length === 0 && above.habits.length > 0 && !isBroken(leader) && !hasErrors(below)) return false
  if (isBroken(leader) && isAcyclic(above, below, graph)) return below.onsetNs <= above.onsetNs + NS_PER_MINUTE
  // Each may seem to follow from the other where services call in circles.
  if (leader.explanation.mayFollow && !isStronger(leader, follower)) return false
  return below.onsetNs <= above.onsetNs + NS_PER_MINUTE
}

/** Known to behave as it did not: what its callers then fail with, or leave out, follows from it. */
function isBroken({ inquiry, explanation }: Charge): boolean {
  return inquiry.suspect.habits.length > 0 && isFailure({ explanation })
}

function isFailure({ explanation }: Pick<Charge, 'explanation'>): boolean {
  return explanation.cause === 'exception' || explanation.cause === 'errorReturn'
}

function hasErrors({ votes }: Suspect): boolean {
  return votes.some(({ by }) => by === 'error')
}

function isAcyclic(above: Suspect, below: Suspect, graph: CallGraph): boolean {
  return !graph.callersOf(above.serviceName).has(below.serviceName)
}

/** Several services that suffer from the same thing outside. */
function sameDependency(a: Charge, b: Charge): boolean {
  const outside = ['slowDependency', 'failingDependency', 'rateLimiting']
  return (
    outside.includes(a.explanation.cause) &&
    outside.includes(b.explanation.cause) &&
    a.explanation.detail === b.explanation.detail &&
    a.explanation.detail !== ''
  )
}

function isStronger(a: Charge, b: Charge): boolean {
  const [votes, others] = [a.inquiry.suspect.votes.length, b.inquiry.suspect.votes.length]
  return votes > others || (votes === others && a.inquiry.suspect.serviceName < b.inquiry.suspect.serviceName)
}
