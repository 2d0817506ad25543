import { NS_PER_HOUR } from '../../domain/time-window.ts'

/** The start of the minute. Times before the epoch have theirs too. */
export function minuteOf(ns: bigint): bigint {
  return floored(ns, NS_PER_HOUR / 60n)
}

/** How many whole minutes lie between two moments, the earlier one first. */
export function minutesBetween(fromNs: bigint, toNs: bigint): number {
  return Number((toNs - fromNs) / (NS_PER_HOUR / 60n))
}

/** The start of the step of so many minutes. */
export function stepOf(ns: bigint, stepMinutes: number): bigint {
  return floored(ns, (NS_PER_HOUR / 60n) * BigInt(stepMinutes))
}

export function hourOf(ns: bigint): bigint {
  return floored(ns, NS_PER_HOUR)
}

function floored(ns: bigint, unitNs: bigint): bigint {
  return ns - (((ns % unitNs) + unitNs) % unitNs)
}
