import { createHash } from 'node:crypto'
import { createCanvas, loadImage } from '@napi-rs/canvas'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Picture } from '../picture.ts'
import { drawPicture } from './draw-picture.ts'
import { registerFonts } from './fonts.ts'

const START_MS = Date.UTC(2026, 2, 1, 11)
const STEP_MS = 60_000

beforeAll(registerFonts)

function pictureOf(seriesCount: number, rest: Partial<Picture> = {}): Picture {
  return {
    width: 400,
    height: 200,
    theme: 'dark',
    title: 'Latency',
    unit: 'ms',
    chartType: 'line',
    startMs: START_MS,
    endMs: START_MS + 60 * STEP_MS,
    stepMs: STEP_MS,
    series: Array.from({ length: seriesCount }, (_, i) => ({
      label: `service ${i}`,
      unit: 'ms',
      points: Array.from({ length: 60 }, (_, k) => [START_MS + k * STEP_MS, 10 * (i + 1) + (k % 5)]),
    })),
    ...rest,
  }
}

/** The colours of a picture, by how many pixels have them. */
async function coloursOf(png: Buffer): Promise<Map<string, number>> {
  const image = await loadImage(png)
  const context = createCanvas(image.width, image.height).getContext('2d')
  context.drawImage(image, 0, 0)
  const { data } = context.getImageData(0, 0, image.width, image.height)
  const counts = new Map<string, number>()
  for (let i = 0; i < data.length; i += 4) {
    const colour = `#${Buffer.from(data.subarray(i, i + 3)).toString('hex')}`
    counts.set(colour, (counts.get(colour) ?? 0) + 1)
  }
  return counts
}

describe('a picture', () => {
  it.each([
    [100, 100],
    [4000, 100],
    [100, 4000],
    [800, 400],
  ])('is a PNG of %i by %i pixels', async (width, height) => {
    const image = await loadImage(drawPicture(pictureOf(20, { width, height })))
    expect([image.width, image.height]).toEqual([width, height])
  })

  it('is the same for the same data, byte by byte, and another for other data', () => {
    const hashOf = (picture: Picture) => createHash('sha256').update(drawPicture(picture)).digest('hex')
    expect(hashOf(pictureOf(3))).toBe(hashOf(pictureOf(3)))
    expect(hashOf(pictureOf(3))).not.toBe(hashOf(pictureOf(3, { title: 'Other' })))
  })

  it.each([
    ['dark', '#12161f', '#5aa2f7'],
    ['light', '#ffffff', '#1f6fd6'],
  ] as const)('in %s has its background and its lines', async (theme, background, line) => {
    const colours = await coloursOf(drawPicture(pictureOf(1, { theme })))
    expect(colours.get(background)).toBeGreaterThan(40_000)
    expect(colours.get(line)).toBeGreaterThan(100)
  })

  it('of bars and areas fills them', async () => {
    const line = await coloursOf(drawPicture(pictureOf(1)))
    const bars = await coloursOf(drawPicture(pictureOf(1, { chartType: 'bar' })))
    expect(bars.get('#5aa2f7')).toBeGreaterThan(4 * (line.get('#5aa2f7') ?? 0))
  })

  it('leaves a gap where there is no data, and shows a point that is alone', async () => {
    const [series] = pictureOf(1).series
    const only = (keep: (k: number) => boolean) =>
      pictureOf(0, { series: [{ label: '', unit: 'ms', points: (series?.points ?? []).filter((_, k) => keep(k)) }] })
    const all = (await coloursOf(drawPicture(only(() => true)))).get('#5aa2f7') ?? 0
    const half = (await coloursOf(drawPicture(only((k) => k < 15 || k >= 45)))).get('#5aa2f7') ?? 0
    const one = (await coloursOf(drawPicture(only((k) => k === 30)))).get('#5aa2f7') ?? 0
    const none = (await coloursOf(drawPicture(only(() => false)))).get('#5aa2f7') ?? 0
    expect(half).toBeLessThan(all * 0.7)
    expect(one).toBeGreaterThan(none)
  })

  it('says that there is no data', () => {
    expect(drawPicture(pictureOf(0)).equals(drawPicture(pictureOf(1)))).toBe(false)
  })
})
