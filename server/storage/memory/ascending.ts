/** By code units for strings: the same on every machine, because no locale takes part. */
export function ascending<T extends string | number | bigint>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0
}
