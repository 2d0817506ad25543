import type { Charge } from './charge.ts'

/** Votes beyond this many make nothing surer. */
const ENOUGH_VOTES = 20

/**
 * How sure the charge is, 0.2 to 0.97: how well the best explanation fits, how far ahead of the next it is, how much of the
 * symptoms it accounts for, and from how many requests all of this is known.
 */
export function confidenceOf({ inquiry, explanation, runnerUp }: Charge): number {
  const { suspect } = inquiry
  // What needs no bad requests to be seen is as sure as it is strong.
  if (suspect.votes.length === 0) return Math.round(100 * explanation.strength) / 100
  const share = Math.max(...suspect.shares.values())
  const enough = Math.min(1, suspect.votes.length / ENOUGH_VOTES)
  const lead = runnerUp ? Math.min(1, (explanation.strength - runnerUp.strength) / 0.2) : 1
  const value = explanation.strength * (0.55 + 0.3 * share + 0.1 * enough + 0.05 * lead)
  return Math.round(100 * Math.min(0.97, Math.max(0.2, value))) / 100
}
