/** By how many percent something changed. From 0 to anything above it is 100. */
export function percentChange(before: number, after: number): number {
  if (before === 0) return after === 0 ? 0 : 100
  return withoutNoise(((after - before) / before) * 100)
}

/** To twelve digits, so that the last bits of a floating point number never decide which side of a threshold it is on. */
export function withoutNoise(value: number): number {
  return Number(value.toPrecision(12))
}
