/** At most two decimals, as answers show numbers. Judge before rounding. */
export function rounded(value: number): number {
  return Math.round(value * 100) / 100
}
