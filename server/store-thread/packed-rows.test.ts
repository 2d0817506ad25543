import { describe, expect, it } from 'vitest'
import { pack, unpack } from './packed-rows.ts'

const travelled = (answer: unknown) => unpack(structuredClone(pack(answer)))

const ROWS = Array.from({ length: 100 }, (_, i) => ({
  name: `service ${i % 7} ü\u0000`,
  count: i / 3,
  sum: BigInt(i) * 2n ** 40n,
  large: 2n ** 70n + BigInt(i),
  same: 'INTERNAL',
  mixed: i % 2 === 0 ? undefined : [i],
  isKnown: i % 3 === 0,
}))

describe('answers that travel between threads', () => {
  it('arrive as they left', () => {
    for (const answer of [
      ROWS,
      { few: [{ a: 1 }], rows: ROWS, others: ROWS, count: 1 },
      [],
      ROWS.slice(0, 3),
      undefined,
      'text',
      7n,
    ])
      expect(travelled(answer)).toEqual(answer)
  })

  it('keep what a row lacks, and what only some rows have', () => {
    const uneven = ROWS.map((row, i) => (i === 50 ? { ...row, more: 1 } : row))
    expect(travelled(uneven)).toEqual(uneven)
    const renamed = ROWS.map(({ count, ...row }, i) => (i === 50 ? { ...row, other: count } : { ...row, count }))
    expect(travelled(renamed)).toEqual(renamed)
    const texts = Array.from({ length: 100 }, (_, i) => `row ${i}`)
    expect(travelled(texts)).toEqual(texts)
  })

  it('are columns on the way where there are many', () => {
    expect(pack(ROWS)).not.toBeInstanceOf(Array)
    expect(pack(ROWS.slice(0, 3))).toBeInstanceOf(Array)
  })
})
