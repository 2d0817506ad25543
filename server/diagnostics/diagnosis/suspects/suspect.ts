import type { BrokenHabit } from '../habits/habit.ts'
import type { ResourceJump } from '../resources/resource-jump.ts'
import type { Symptom } from '../symptoms/symptom.ts'
import type { Place } from '../traces/place.ts'
import type { Vote } from '../traces/vote.ts'
import type { SlowWay } from '../ways/slow-ways.ts'

/** A vote, and the symptom whose bad request it is from. */
export interface CastVote extends Vote {
  symptom: Symptom
  /** The operations through which the trouble reached whoever asked first, as keys. */
  path: string[]
}

export function operationKey(serviceName: string, operationName: string): string {
  return `${serviceName}\n${operationName}`
}

/** A place at or around a suspect, with the votes that name it. */
export interface Part {
  place: Place
  by: 'error' | 'time'
  votes: CastVote[]
}

/** A service in which, or at which, bad requests begin, or that behaves as it did not. Each may be all that is known of it. */
export interface Suspect {
  serviceName: string
  votes: CastVote[]
  /** Most votes first. */
  parts: Part[]
  /** The share of a symptom's votes that name this service, for each symptom that has any. */
  shares: Map<Symptom, number>
  /** What it does no longer as it used to, or what others newly say of it; surest first. */
  habits: BrokenHabit[]
  /** What it suddenly uses far more of than it used to. */
  jumps: ResourceJump[]
  /** Ways to or from it on which calls lose time. */
  ways: SlowWay[]
  /** Services of whose failures it newly tells. */
  speaksOf: ReadonlySet<string>
  /** When the trouble began. */
  onsetNs: bigint
}
