/** Whether a line got longer: the newer half of what was seen of it is clearly above the older half, and it did not shrink since. */
export function isGrowing(depths: readonly number[]): boolean {
  const newest = depths.at(-1)
  if (newest === undefined || newest < 1 || depths.length < 2) return false
  const half = Math.floor(depths.length / 2)
  const older = meanOf(depths.slice(0, half))
  const newer = meanOf(depths.slice(half))
  return newer > older * 1.2 + 0.5 && newest >= 0.8 * Math.max(...depths)
}

/**
 * Whether a backlog that nobody told a limit for grew far beyond noise: to at least `least`, to twice what it began with,
 * by more steps up than down, not in one leap, and it has not gone back since.
 */
export function hasPiledUp(depths: readonly number[], least: number): boolean {
  const newest = depths.at(-1) ?? 0
  const second = depths.at(-2) ?? 0
  if (depths.length < 3 || newest < least) return false
  const before = medianOf(depths.slice(0, Math.ceil(depths.length / 3)))
  if (newest < 2 * before || second <= before || second < least / 2) return false
  return newest >= 0.8 * Math.max(...depths) && concordanceOf(depths) >= 0.3
}

/** Where the present climb began: behind the last value that was hardly above the lowest. */
export function climbStart(depths: readonly number[]): number {
  const lowest = Math.min(...depths)
  const hardly = lowest + 0.1 * ((depths.at(-1) ?? 0) - lowest)
  return depths.findLastIndex((depth) => depth <= hardly) + 1
}

/** Kendall's tau, over evenly chosen values where there are very many: 1 for a climb without a step back, about 0 for noise. */
function concordanceOf(values: readonly number[]): number {
  const step = Math.max(1, Math.floor(values.length / 100))
  const chosen = values.filter((_, i) => (values.length - 1 - i) % step === 0)
  let sum = 0
  for (const [i, later] of chosen.entries()) for (const earlier of chosen.slice(0, i)) sum += Math.sign(later - earlier)
  return sum / ((chosen.length * (chosen.length - 1)) / 2)
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0
}
