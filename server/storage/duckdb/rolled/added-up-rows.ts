const DURATION_PART = 2n ** 62n

/** Rows of the same key as one. A sum of durations that 64 bits do not hold takes several rows, of which one has the counts. */
export function addedUpRows(table: string, keys: string, counts: readonly string[]): string {
  const sums = counts.map((count) => `sum(${count}) AS ${count}`).join(', ')
  const isAny = [...counts, 'duration_ns'].map((sum) => `sum(${sum}) <> 0`).join(' OR ')
  const ofFirst = counts.map((count) => `CASE WHEN part = 0 THEN ${count} ELSE 0 END AS ${count}`).join(', ')
  return `SELECT ${keys}, ${ofFirst},
      (CASE WHEN part = 0 THEN whole_ns % ${DURATION_PART} ELSE sign(whole_ns) * ${DURATION_PART}::HUGEINT END)::BIGINT AS duration_ns
    FROM (SELECT *, unnest(range((abs(whole_ns) // ${DURATION_PART})::BIGINT + 1)) AS part
      FROM (SELECT ${keys}, ${sums}, sum(duration_ns) AS whole_ns FROM ${table} GROUP BY ${keys} HAVING ${isAny}))
    ORDER BY ${keys}, part`
}
