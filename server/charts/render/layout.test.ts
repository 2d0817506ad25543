import { describe, expect, it } from 'vitest'
import type { Picture } from '../picture.ts'
import { layoutOf } from './layout.ts'

/** Every letter is half as wide as it is high. */
const measure = (text: string, fontPx: number) => text.length * fontPx * 0.5

function layout(labels: string[], rest: Partial<Picture> = {}) {
  const series = labels.map((label) => ({ label, unit: 'ms', points: [] }))
  const picture = { width: 800, height: 400, title: 'Latency', unit: 'ms', startMs: 0, endMs: 3_600_000, series }
  return layoutOf({ theme: 'dark', chartType: 'line', stepMs: 60_000, ...picture, ...rest }, measure)
}

const names = (count: number) => Array.from({ length: count }, (_, i) => `service-${i}`)

describe('the layout of a picture', () => {
  it('names every line where there is room', () => {
    expect(layout(names(20)).legend.map(({ text }) => text)).toEqual(names(20))
  })

  it('says how many lines it does not name', () => {
    const { legend } = layout(names(200))
    expect(legend.at(-1)).toMatchObject({ index: undefined, text: `+ ${200 - (legend.length - 1)} more` })
  })

  it('keeps the beginning and the end of a name that is too long', () => {
    const [entry] = layout([`begins-${'x'.repeat(300)}-ends`, 'short']).legend
    expect(entry?.text).toMatch(/^begins-x+…x+-ends$/)
  })

  it('has no legend in the smallest picture, and less of the title', () => {
    const small = layout(names(3), { width: 100, height: 100, title: 'A title that is long' })
    expect(small.legend).toEqual([])
    expect(small.title.text).toMatch(/^A t.*…$/)
    expect(small.fontPx).toBeGreaterThanOrEqual(9)
  })

  it('has larger text in a larger picture', () => {
    expect(layout([], { width: 4000, height: 4000 }).fontPx).toBe(60)
    expect(layout([]).fontPx).toBe(12)
  })

  it('tells the range, with the day of its end where that is another', () => {
    expect(layout([]).title.range).toBe('1970-01-01 00:00 – 01:00 UTC')
    expect(layout([], { endMs: 86_400_000 }).title.range).toBe('1970-01-01 00:00 – 1970-01-02 00:00 UTC')
    expect(layout([], { width: 200 }).title.range).toBe('')
  })
})
