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
  inner: { exact: i % 5 === 0 ? undefined : [i / 2, i], samples: [[`a ${i}`], [], [`b ${i}`, 'c']] },
  lists: i % 4 === 0 ? [] : [i, `text ${i}`, { a: [i] }, undefined, null, Number.NaN, -0],
  holes: [{ type: 'a', message: i % 2 === 0 ? undefined : `no ${i}` }, { type: 'b' }],
  bytes: new Uint8Array([i]),
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
      expect(travelled(answer)).toStrictEqual(answer)
  })

  it('keep what a row lacks, and what only some rows have', () => {
    const uneven = ROWS.map((row, i) => (i === 50 ? { ...row, more: 1 } : row))
    expect(travelled(uneven)).toEqual(uneven)
    const renamed = ROWS.map(({ count, ...row }, i) => (i === 50 ? { ...row, other: count } : { ...row, count }))
    expect(travelled(renamed)).toEqual(renamed)
    const texts = Array.from({ length: 100 }, (_, i) => `row ${i}`)
    expect(travelled(texts)).toEqual(texts)
  })

  it('are packed where there are many below a row, too', () => {
    const few = ROWS.slice(0, 64).map(({ inner }) => ({ inner }))
    expect(travelled(few)).toEqual(few)
    expect(JSON.stringify(pack(few))).not.toContain('"exact":[')
  })

  it('are columns on the way where there are many', () => {
    expect(pack(ROWS)).not.toBeInstanceOf(Array)
    expect(pack(ROWS.slice(0, 3))).toBeInstanceOf(Array)
  })
})
