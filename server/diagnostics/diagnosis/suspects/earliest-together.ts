import { NS_PER_MINUTE } from '../series/minute-axis.ts'

/** Signs of one trouble begin no further apart than this; what began earlier was something else. */
const APART_NS_MAX = 2n * NS_PER_MINUTE

/** The first of the onsets that hang together with the surest one, each no longer before the next than trouble takes to spread. */
export function earliestTogether(surestNs: bigint, onsetsNs: bigint[]): bigint {
  const latestFirst = onsetsNs.filter((onsetNs) => onsetNs < surestNs).toSorted((a, b) => (a > b ? -1 : 1))
  return latestFirst.reduce((first, onsetNs) => (first - onsetNs <= APART_NS_MAX ? onsetNs : first), surestNs)
}
