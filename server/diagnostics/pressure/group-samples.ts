import type { TimeWindow } from '../../domain/time-window.ts'
import type { MetricGroup, Observation } from './metric-groups.ts'
import { ROLES, type Role } from './metric-index.ts'

/** A series that has said nothing for this long counts no more. */
export const FRESH_NS = 300_000_000_000n
const FRESH = Number(FRESH_NS)

/** How a resource stood at one moment. What is not known is undefined. */
export interface Sample {
  timeNs: bigint
  /** Percent of the limit. */
  utilization: number | undefined
  used: number | undefined
  limit: number | undefined
  pending: number | undefined
  /** Whether nobody told the limit, and it was taken from what is there. */
  isLimitSupposed: boolean
}

/** How a group stood whenever one of its series said something within a window, ascending. */
export function samplesOf(group: MetricGroup, { startNs, endNs }: TimeWindow): Sample[] {
  const state = new GroupState(group)
  const samples: Sample[] = []
  for (const [i, observation] of group.observations.entries()) {
    const { timeNs } = observation
    if (timeNs >= endNs) break
    state.take(observation)
    const isLastOfItsTime = group.observations[i + 1]?.timeNs !== timeNs
    if (isLastOfItsTime && timeNs >= startNs) samples.push(state.sampleAt(timeNs))
  }
  return samples
}

/** How a group stands at a moment, by what was said before and is fresh. */
export function sampleAt(group: MetricGroup, atNs: bigint): Sample {
  const state = new GroupState(group)
  state.takeNewest(atNs)
  return state.sampleAt(atNs)
}

/** The newest value of each series, and what they say together. */
class GroupState {
  readonly #group: MetricGroup
  readonly #baseNs: bigint
  readonly #levels: Float64Array
  /** After the base time, in nanoseconds: plain numbers are quicker to compare. */
  readonly #times: Float64Array

  constructor(group: MetricGroup) {
    this.#group = group
    this.#baseNs = group.observations[0]?.timeNs ?? 0n
    this.#levels = new Float64Array(group.series.length).fill(Number.NaN)
    this.#times = new Float64Array(group.series.length)
  }

  take({ series, level, timeNs }: Observation): void {
    this.#levels[series] = level ?? Number.NaN
    this.#times[series] = Number(timeNs - this.#baseNs)
  }

  /** The newest of each series before a moment, looked for from the end: the rest of a long history does not matter. */
  takeNewest(beforeNs: bigint): void {
    const { observations, series } = this.#group
    const seen = new Uint8Array(series.length)
    let missing = series.length
    for (let i = observations.length - 1; i >= 0 && missing > 0; i--) {
      const observation = observations[i] as Observation
      if (seen[observation.series] === 1 || observation.timeNs >= beforeNs) continue
      seen[observation.series] = 1
      missing--
      this.take(observation)
    }
  }

  sampleAt(timeNs: bigint): Sample {
    const levels = this.#levelsAt(Number(timeNs - this.#baseNs))
    const { share, pending, free, idle } = levels
    if (share !== undefined)
      return { timeNs, utilization: share * 100, used: undefined, limit: undefined, pending, isLimitSupposed: false }
    const told = positive(levels.limit)
    const rest = told === undefined || free === undefined ? undefined : Math.max(0, told - free)
    const used = levels.used ?? rest
    const limit = told ?? supposedLimit(levels.used, free, idle, pending)
    const full = limit ?? this.#group.entry.fullAt
    const utilization = used === undefined || full === undefined ? undefined : (used * 100) / full
    return { timeNs, utilization, used, limit, pending, isLimitSupposed: told === undefined && limit !== undefined }
  }

  /** For each role the sum over the fresh series of the best name there is. */
  #levelsAt(time: number): Partial<Record<Role, number>> {
    const sums: Partial<Record<Role, Sum>> = {}
    for (const [i, { role, rank, part }] of this.#group.series.entries()) {
      const level = this.#levels[i] ?? Number.NaN
      if (Number.isNaN(level) || time - (this.#times[i] ?? 0) > FRESH) continue
      const sum = sums[role]
      if (sum === undefined || rank < sum.rank) sums[role] = { rank, total: level, parts: new Set([part]) }
      else if (rank === sum.rank) {
        sum.total += level
        sum.parts.add(part)
      }
    }
    const levels: Partial<Record<Role, number>> = {}
    for (const role of ROLES) {
      const sum = sums[role]
      if (sum !== undefined) levels[role] = sum.total / sum.parts.size
    }
    return levels
  }
}

interface Sum {
  rank: number
  total: number
  /** What the mean is taken over. */
  parts: Set<string>
}

/** Where no limit is told: what is used and what is left, or, where somebody waits, what is used and what is idle. */
function supposedLimit(
  used: number | undefined,
  free: number | undefined,
  idle: number | undefined,
  pending: number | undefined,
): number | undefined {
  if (used === undefined) return undefined
  if (free !== undefined) return positive(used + free)
  return idle !== undefined && (pending ?? 0) > 0 ? positive(used + idle) : undefined
}

function positive(value: number | undefined): number | undefined {
  return value !== undefined && value > 0 ? value : undefined
}
