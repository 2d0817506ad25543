import type { Theme } from '../picture.ts'

interface Colours {
  background: string
  text: string
  muted: string
  axis: string
  grid: string
  series: string[]
}

export const COLOURS: Record<Theme, Colours> = {
  dark: {
    background: '#12161f',
    text: '#eceff4',
    muted: '#9aa5b8',
    axis: '#4a5468',
    grid: '#252c3a',
    series: [
      '#5aa2f7',
      '#f7a440',
      '#4cc38a',
      '#ee6a7c',
      '#b18cf5',
      '#3cc6d8',
      '#e8d24a',
      '#e88fd0',
      '#9fd356',
      '#c9a27e',
    ],
  },
  light: {
    background: '#ffffff',
    text: '#1b2330',
    muted: '#5b6779',
    axis: '#aab4c3',
    grid: '#e6eaf0',
    series: [
      '#1f6fd6',
      '#d9730d',
      '#1b8a5a',
      '#cf3348',
      '#7c4fd0',
      '#0e8c9e',
      '#a58a00',
      '#b8429a',
      '#5c8f14',
      '#8a5f3b',
    ],
  },
}

const DASHES = ['solid', 'dashed', 'dotted'] as const

/** Ten colours, then the same ones with other lines. */
export function strokeOf(theme: Theme, index: number): { colour: string; dash: (typeof DASHES)[number] } {
  const { series } = COLOURS[theme]
  return {
    colour: series[index % series.length] as string,
    dash: DASHES[Math.floor(index / series.length) % DASHES.length] as (typeof DASHES)[number],
  }
}
