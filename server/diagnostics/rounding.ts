/** At most two decimals, as answers show numbers. Judge before rounding. */
export function rounded(value: number): number {
  return roundedTo(value, 100)
}

/** At most four decimals, as answers show rates per second. */
export function roundedRate(perSecond: number): number {
  return roundedTo(perSecond, 10_000)
}

/** Adding 0 makes a 0 of what was slightly below it, which would be written `-0`. */
function roundedTo(value: number, parts: number): number {
  return Math.round(value * parts) / parts + 0
}
