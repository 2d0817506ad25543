import { isLasting } from '../symptoms/judgement.ts'
import type { Charge } from './charge.ts'

/** Votes beyond this many make nothing surer. */
const ENOUGH_VOTES = 20
/** What is over is less sure to matter, and to have been more than a hiccup. */
const RECOVERED_FACTOR = 0.7

/**
 * How much speaks for a charge, 0 to 1: how well the best explanation fits, how far ahead of the next it is, how much of the
 * symptoms it accounts for, from how many requests all of this is known, and whether it goes on.
 */
export function scoreOf(charge: Charge): number {
  const value = charge.inquiry.suspect.votes.length === 0 ? charge.explanation.strength : byVotes(charge)
  return lasts(charge) ? value : value * RECOVERED_FACTOR
}

function byVotes({ inquiry: { suspect }, explanation, runnerUp }: Charge): number {
  const share = Math.max(...suspect.shares.values())
  const enough = Math.min(1, suspect.votes.length / ENOUGH_VOTES)
  const lead = runnerUp ? Math.min(1, (explanation.strength - runnerUp.strength) / 0.2) : 1
  return explanation.strength * (0.55 + 0.3 * share + 0.1 * enough + 0.05 * lead)
}

function lasts({ inquiry: { episode, suspect, overview } }: Charge): boolean {
  const series = overview.services.find(({ serviceName }) => serviceName === suspect.serviceName)
  return isLasting(episode, overview.axis, series?.requests ?? [])
}
