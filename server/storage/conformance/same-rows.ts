import { expect } from 'vitest'

/** The same text for equal rows, in whatever order their fields stand. */
export function textOf(row: unknown): string {
  return JSON.stringify(row, (_key, value: unknown) => {
    if (typeof value === 'bigint') return `${value}n`
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
    return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  })
}

/** For rows that are answered in no particular order. */
export function inOneOrder<Row>(rows: Row[]): Row[] {
  return rows
    .map((row) => ({ row, text: textOf(row) }))
    .toSorted((a, b) => (a.text < b.text ? -1 : 1))
    .map(({ row }) => row)
}

/**
 * For rows that come in order of `rankOf`, equal ones in any order: `whole` are the rows that are expected, `cut` are as many
 * of them as were asked for, in ranks that are expected.
 */
export function expectSameUpToTies<Row, Rank>(
  { whole, cut, expected, expectedCut }: { whole: Row[]; cut: Row[]; expected: Row[]; expectedCut: Row[] },
  rankOf: (row: Row) => Rank,
  asked: string,
): void {
  expect(whole.map(rankOf), asked).toEqual(expected.map(rankOf))
  expect(inOneOrder(whole), asked).toEqual(inOneOrder(expected))
  expect(cut.map(rankOf), asked).toEqual(expectedCut.map(rankOf))
  const texts = new Set(whole.map(textOf))
  const cutTexts = new Set(cut.map(textOf))
  expect(cutTexts.size, `${asked}: each row once`).toBe(cut.length)
  expect(
    [...cutTexts].every((text) => texts.has(text)),
    `${asked}: nothing else`,
  ).toBe(true)
}
