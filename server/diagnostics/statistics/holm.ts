/**
 * P-values after Holm's correction, in the same order: that any of them is below a level although nothing differs is no
 * likelier than that level, however many there are and however they depend on each other.
 */
export function holmAdjusted(pValues: number[]): number[] {
  const adjusted = new Array<number>(pValues.length)
  const ascending = [...pValues.keys()].sort((a, b) => (pValues[a] as number) - (pValues[b] as number))
  let largest = 0
  for (const [rank, index] of ascending.entries()) {
    largest = Math.max(largest, (pValues[index] as number) * (pValues.length - rank))
    adjusted[index] = Math.min(1, largest)
  }
  return adjusted
}
