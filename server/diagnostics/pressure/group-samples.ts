import type { TimeWindow } from '../../domain/time-window.ts'
import type { MetricGroup, Observation } from './metric-groups.ts'
import type { Role } from './metric-index.ts'

/** A series that has said nothing for this long counts no more. */
export const FRESH_NS = 300_000_000_000n

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

export interface GroupHistory {
  /** One for each moment at which a series said something, ascending. */
  samples: Sample[]
  /** As of the moment asked about, from what is fresh then. */
  now: Sample
}

type Latest = Map<Role, Map<number, Map<string, Observation>>>

/** How a group stood in a window, and at its end. */
export function historyOf(group: MetricGroup, { startNs, endNs }: TimeWindow): GroupHistory {
  const latest: Latest = new Map()
  const samples: Sample[] = []
  for (const [i, observation] of group.observations.entries()) {
    if (observation.timeNs >= endNs) break
    take(latest, observation)
    const isLastOfItsTime = group.observations[i + 1]?.timeNs !== observation.timeNs
    if (isLastOfItsTime && observation.timeNs >= startNs) samples.push(sampleAt(group, latest, observation.timeNs))
  }
  return { samples, now: sampleAt(group, latest, endNs) }
}

function take(latest: Latest, observation: Observation): void {
  const { role, rank, series } = observation
  const byRank = latest.get(role) ?? new Map<number, Map<string, Observation>>()
  latest.set(role, byRank)
  const bySeries = byRank.get(rank) ?? new Map<string, Observation>()
  byRank.set(rank, bySeries)
  if (observation.level === undefined) bySeries.delete(series)
  else bySeries.set(series, observation)
}

function sampleAt({ entry }: MetricGroup, latest: Latest, timeNs: bigint): Sample {
  const level = (role: Role): number | undefined => levelAt(latest, role, timeNs)
  const share = level('share')
  const pending = level('pending')
  if (share !== undefined)
    return { timeNs, utilization: share * 100, used: undefined, limit: undefined, pending, isLimitSupposed: false }
  const free = level('free')
  const told = positive(level('limit'))
  const inUse = level('used')
  const used = inUse ?? (told === undefined || free === undefined ? undefined : Math.max(0, told - free))
  const limit = told ?? limitOf(inUse, free, level('idle'), pending)
  const full = limit ?? entry.fullAt
  const utilization = used === undefined || full === undefined ? undefined : (used * 100) / full
  return { timeNs, utilization, used, limit, pending, isLimitSupposed: told === undefined && limit !== undefined }
}

/** Where no limit is told: what is used and what is left, or, where somebody waits, what is used and what is idle. */
function limitOf(
  used: number | undefined,
  free: number | undefined,
  idle: number | undefined,
  pending: number | undefined,
): number | undefined {
  if (used === undefined) return undefined
  if (free !== undefined) return positive(used + free)
  return idle !== undefined && (pending ?? 0) > 0 ? positive(used + idle) : undefined
}

function levelAt(latest: Latest, role: Role, timeNs: bigint): number | undefined {
  const byRank = latest.get(role)
  if (byRank === undefined) return undefined
  for (const rank of [...byRank.keys()].sort((a, b) => a - b)) {
    const fresh = [...(byRank.get(rank)?.values() ?? [])].filter((one) => timeNs - one.timeNs <= FRESH_NS)
    if (fresh.length === 0) continue
    const sum = fresh.reduce((total, { level }) => total + (level ?? 0), 0)
    return sum / new Set(fresh.map(({ part }) => part)).size
  }
  return undefined
}

function positive(value: number | undefined): number | undefined {
  return value !== undefined && value > 0 ? value : undefined
}
