/**
 * One statement for the sums of many hours. Added up together: adding up each hour by itself takes the database megabytes for each
 * of them. The parts name their sums `sum_0`, `sum_1`, …, which are doubles.
 */
export function addedUp(parts: string[], keys: string, sums: number): string {
  const added = Array.from({ length: sums }, (_, i) => `sum(sum_${i})`).join(', ')
  return `SELECT unit, ${keys}, ${added} FROM (${parts.join(' UNION ALL ')}) GROUP BY ALL`
}

/** As doubles, under the names that are added up. */
export function asSums(...values: string[]): string {
  return values.map((value, i) => `(${value})::DOUBLE AS sum_${i}`).join(', ')
}

/** A row's duration, `n` times, as two numbers that doubles hold: dividing a sum would take several times as long. */
export function durationHalves(n = '1'): [string, string] {
  return [`${n} * (duration_ns & ${2n ** 32n - 1n})`, `${n} * (duration_ns >> 32)`]
}
