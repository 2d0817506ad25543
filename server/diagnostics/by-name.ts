/** For sorting by a text, the same on every machine, whatever its language. */
export function byName(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
