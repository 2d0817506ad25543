/** So many items, then twice as many, and so on: for a search that mostly ends early. */
export function* doublingGroups<T>(items: T[], first: number): Generator<T[]> {
  for (let at = 0, size = first; at < items.length; at += size, size *= 2) yield items.slice(at, at + size)
}
