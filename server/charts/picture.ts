import type { ChartType } from '../domain/chart.ts'

export const THEMES = ['dark', 'light'] as const
export type Theme = (typeof THEMES)[number]

export const PICTURE_PIXELS = { min: 100, max: 4000, width: 800, height: 400 } as const

export interface PictureSeries {
  label: string
  unit: string
  /** Milliseconds since the epoch, and the value there; ascending. */
  points: [atMs: number, value: number][]
}

/** All that a picture of a chart shows: the same picture gives the same bytes. */
export interface Picture {
  width: number
  height: number
  theme: Theme
  title: string
  unit: string
  chartType: ChartType
  startMs: number
  endMs: number
  /** How far points are apart that have no gap between them. */
  stepMs: number
  series: PictureSeries[]
}

export interface PictureMaker {
  /** A PNG. Rejects with `TooManyPictures` where too many are waiting. */
  draw(picture: Picture): Promise<Uint8Array>
  close(): Promise<void>
}

export class TooManyPictures extends Error {
  override readonly name = 'TooManyPictures'
}
