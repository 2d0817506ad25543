import type { CastVote, Part } from '../suspects/suspect.ts'
import { habitLines } from './broken-habit.ts'
import type { Explanation, Inquiry } from './inquiry.ts'
import { wayLines } from './network-delay.ts'
import { jumpLines } from './resource-jump.ts'
import { failureLine, milliseconds } from './wording.ts'

/** It is known that something is wrong there, and not what: enough to look at it first, too little to call someone. */
const STRENGTH = 0.49
const PARTS_MAX = 2
const JUMPS_MAX = 2

/** What nobody feels needs no name. */
const FELT_MS_MIN = 10

/** Of a suspect that no cause explains: where the trouble begins, and what is seen of it. */
export function unusualBehaviour({ suspect }: Inquiry): Explanation | undefined {
  const { habits, ways, jumps, votes, parts } = suspect
  const isFelt = votes.some(({ by }) => by === 'error') || medianAddedMs(votes) >= FELT_MS_MIN
  if (!isFelt && habits.length + ways.length + jumps.length === 0) return undefined
  return {
    cause: 'unusualBehaviour',
    detail: habits.find((habit) => habit.serviceName === suspect.serviceName)?.operationName ?? '',
    strength: STRENGTH,
    evidence: [
      ...parts.slice(0, PARTS_MAX).map((part) => partLine(part, votes.length)),
      ...habitLines(habits),
      ...wayLines(ways),
      ...jumps.slice(0, JUMPS_MAX).flatMap(jumpLines),
    ],
    mayFollow: true,
  }
}

function partLine({ by, place, votes }: Part, all: number): string {
  if (by === 'error') return failureLine(votes, all)
  const where =
    place.at === 'inside' ? `in ${place.serviceName}` : `on the way from ${place.serviceName} to ${place.targetName}`
  return `${votes.length} of ${all} bad requests looked at spent most of their added time ${where}, ${milliseconds(medianAddedMs(votes))} more than usual at the median, as in trace ${votes[0]?.traceId ?? ''}`
}

function medianAddedMs(votes: CastVote[]): number {
  return votes.map(({ addedMs }) => addedMs).toSorted((a, b) => a - b)[Math.floor(votes.length / 2)] ?? 0
}
