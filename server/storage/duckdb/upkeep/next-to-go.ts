/** An hour file, and what it takes of the disk. */
export interface SizedHour {
  hour: number
  isStripped: boolean
  bytes: number
}

/** Sums are kept longer than records, but not at the cost of all of them: they take no more than this part of a budget. */
const SUMS_PART = 0.25

/**
 * Which hour makes room next, and whether its sums go or only its records: the oldest records first, and sums where they take
 * a good part of the budget or nothing else is left. Undefined where the budget is kept to, or no hour is left that may go.
 */
export function nextToGo<Hour extends SizedHour>(
  hours: Hour[],
  maxBytes: number,
  mayGo: (hour: number) => boolean,
): { hour: Hour; what: 'records' | 'all' } | undefined {
  const bytesOf = (counted: Hour[]) => counted.reduce((sum, { bytes }) => sum + bytes, 0)
  if (bytesOf(hours) <= maxBytes) return undefined
  const stripped = hours.filter(({ isStripped }) => isStripped)
  const oldestSums = oldestOf(stripped, mayGo)
  const oldestWhole = oldestOf(
    hours.filter(({ isStripped }) => !isStripped),
    mayGo,
  )
  if (oldestSums && (!oldestWhole || bytesOf(stripped) > maxBytes * SUMS_PART)) return { hour: oldestSums, what: 'all' }
  return oldestWhole && { hour: oldestWhole, what: 'records' }
}

/** Of the same hour of several Grids, the one that makes most room. */
function oldestOf<Hour extends SizedHour>(hours: Hour[], mayGo: (hour: number) => boolean): Hour | undefined {
  let oldest: Hour | undefined
  for (const each of hours) {
    if (!mayGo(each.hour)) continue
    if (!oldest || each.hour < oldest.hour || (each.hour === oldest.hour && each.bytes > oldest.bytes)) oldest = each
  }
  return oldest
}
