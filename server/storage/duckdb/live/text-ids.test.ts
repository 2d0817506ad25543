import { describe, expect, it } from 'vitest'
import { TextIds } from './text-ids.ts'

describe('numbers of texts', () => {
  it('are the same for the same bytes, and tell all others apart', () => {
    const ids = new TextIds()
    const texts = [
      '',
      'a',
      'b',
      'ab',
      'ü',
      '漢字',
      '😀',
      'a\u0000',
      ...Array.from({ length: 5_000 }, (_, i) => `GET /${i}`),
    ]
    const numbers = texts.map((text) => ids.ofText(text))
    expect(new Set(numbers).size).toBe(texts.length)
    expect(numbers[0]).toBe(0)
    expect(numbers.map((id) => ids.text(id))).toEqual(texts)
    const padded = Buffer.from('xxGET /7yy')
    expect(ids.of(padded, 2, 8)).toBe(ids.ofText('GET /7'))
  })

  it('are given to other texts once nobody uses them', () => {
    const ids = new TextIds()
    const kept = ids.ofText('kept')
    const names = Array.from({ length: 100_000 }, (_, i) => ids.ofText(`name ${i}`))
    expect(ids.isDueForSweep).toBe(true)
    const isUsed = new Uint8Array(ids.end)
    isUsed[kept] = 1
    ids.sweep(isUsed)
    expect(ids.ofText('kept')).toBe(kept)
    const end = ids.end
    const others = Array.from({ length: 100 }, (_, i) => ids.ofText(`other ${i}`))
    expect(ids.end).toBe(end)
    expect(others.every((id) => names.includes(id))).toBe(true)
    expect(others.map((id) => ids.text(id))).toEqual(others.map((_, i) => `other ${i}`))
  })
})
