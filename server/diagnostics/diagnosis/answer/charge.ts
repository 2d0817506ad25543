import type { CallGraph } from '../call-graph.ts'
import type { CauseKey } from '../catalogue.ts'
import { type Explanation, type Inquiry, inquiryInto } from '../causes/inquiry.ts'
import { explanationsOf } from '../causes/known-causes.ts'
import type { Details, Overview } from '../facts.ts'
import { NS_PER_MINUTE } from '../series/minute-axis.ts'
import type { Suspect } from '../suspects/suspect.ts'
import { blamesHiddenService } from './hidden-service.ts'
import { mainCaller } from './main-caller.ts'

const OUTSIDE: CauseKey[] = ['slowDependency', 'failingDependency', 'rateLimiting']
/** Who is to explain what another one uses up must be well explained itself. */
const SURE_STRENGTH_MIN = 0.7
/** Who is to explain what another one waits for is more than a little slow. */
const RELAYED_STRENGTH_MIN = 0.55
const CHANGED: CauseKey[] = ['badConfiguration', 'badDeployment']

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
  const charges = suspects.flatMap((suspect) => {
    const charge = chargeOf(suspect, overview, details)
    return charge ? [atMainCaller(charge, suspects)] : []
  })
  const kept: Charge[] = []
  for (const charge of charges) {
    const leader = charges.find((other) => other !== charge && leads(other, charge, graph))
    if (leader) leader.followers.push(charge.inquiry.suspect)
    else kept.push(charge)
  }
  return kept
}

function chargeOf(suspect: Suspect, overview: Overview, details: Details): Charge | undefined {
  const inquiry = inquiryInto(suspect, overview, details)
  const [explanation, runnerUp] = explanationsOf(inquiry)
  return explanation && { inquiry, explanation, runnerUp, followers: [] }
}

/** What is wrong outside is told of the service that suffers most from it, also where another one's requests were looked at. */
function atMainCaller(charge: Charge, suspects: Suspect[]): Charge {
  const { inquiry, explanation } = charge
  if (!OUTSIDE.includes(explanation.cause) || explanation.detail === '') return charge
  const serviceName = mainCaller(inquiry, explanation.detail)
  if (suspects.some((suspect) => suspect.serviceName === serviceName)) return charge
  const moved = chargeOf({ ...inquiry.suspect, serviceName }, inquiry.overview, inquiry.details)
  return moved?.explanation.cause === explanation.cause ? { ...moved, followers: [inquiry.suspect] } : charge
}

function leads(leader: Charge, follower: Charge, graph: CallGraph): boolean {
  if (sameDependency(leader, follower)) return suffersMore(leader, follower)
  if (isSlanderedBy(follower, leader, graph)) return true
  if (mayBeRelayed(follower, leader, graph)) return true
  if (isSurge(leader) && isSurge(follower)) return isStronger(leader, follower)
  if (isSurge(leader) && isUsedUp(follower)) return true
  const mayFollow =
    follower.explanation.mayFollow || (isBroken(leader) && isFailure(follower)) || isBusiedBy(follower, leader)
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

/**
 * Who tells nothing may itself wait for a service that does: nobody knows whom it calls. So a service that is ill for reasons of
 * its own, and has been so for as long, is behind it rather than ill by coincidence.
 */
function mayBeRelayed(charge: Charge, by: Charge, graph: CallGraph): boolean {
  if (!blamesHiddenService(charge) || blamesHiddenService(by)) return false
  const [waiting, ill] = [charge.inquiry.suspect, by.inquiry.suspect]
  const isKnownCaller = graph.callersOf(waiting.serviceName).has(ill.serviceName)
  return (
    !isKnownCaller && ill.onsetNs <= waiting.onsetNs + NS_PER_MINUTE && by.explanation.strength >= RELAYED_STRENGTH_MIN
  )
}

/** Work piles up in those who wait and try again: a resource that nobody waits for, used up only after others have failed. */
function isBusiedBy(charge: Charge, by: Charge): boolean {
  const { suspect } = charge.inquiry
  const other = by.inquiry.suspect
  const isLater = suspect.jumps.every(({ saturation }) => saturation.onsetNs > other.onsetNs + NS_PER_MINUTE)
  const isSure = hasErrors(other) && by.explanation.strength >= SURE_STRENGTH_MIN
  return isUsedUp(charge) && isSure && isLater
}

/** A resource that nobody is known to wait for. */
function isUsedUp({ inquiry: { suspect }, explanation }: Charge): boolean {
  return suspect.votes.length === 0 && (explanation.cause === 'cpuSaturation' || explanation.cause === 'memoryPressure')
}

/** Only others speak badly of it, who have been changed themselves or pass on the words of one who has. */
function isSlanderedBy({ inquiry: { suspect } }: Charge, by: Charge, graph: CallGraph): boolean {
  const { serviceName } = by.inquiry.suspect
  const isTold = (teller: string) => teller === serviceName || graph.callersOf(serviceName).has(teller)
  return (
    CHANGED.includes(by.explanation.cause) &&
    suspect.votes.length === 0 &&
    suspect.jumps.length + suspect.ways.length === 0 &&
    suspect.habits.every((habit) => habit.serviceName !== suspect.serviceName && isTold(habit.serviceName))
  )
}

/** Known to behave as it did not: what its callers then fail with, or leave out, follows from it. */
function isBroken({ inquiry, explanation }: Charge): boolean {
  return inquiry.suspect.habits.length > 0 && (isFailure({ explanation }) || explanation.cause === 'unusualBehaviour')
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

/** What comes in from outside comes to many, and to one of them it is too much first. */
function isSurge({ explanation }: Charge): boolean {
  return explanation.cause === 'trafficSurge'
}

/** Several services that suffer from the same thing outside. */
function sameDependency(a: Charge, b: Charge): boolean {
  return (
    OUTSIDE.includes(a.explanation.cause) &&
    OUTSIDE.includes(b.explanation.cause) &&
    a.explanation.detail === b.explanation.detail &&
    a.explanation.detail !== ''
  )
}

function suffersMore(leader: Charge, follower: Charge): boolean {
  const isMain = (one: Charge, other: Charge) =>
    mainCaller(other.inquiry, other.explanation.detail) === one.inquiry.suspect.serviceName
  return isMain(leader, follower) || (!isMain(follower, leader) && isStronger(leader, follower))
}

function isStronger(a: Charge, b: Charge): boolean {
  const [votes, others] = [a.inquiry.suspect.votes.length, b.inquiry.suspect.votes.length]
  return votes > others || (votes === others && a.inquiry.suspect.serviceName < b.inquiry.suspect.serviceName)
}
