import type { AnomalyKind } from './anomaly-state.ts'
import { type MinuteSums, sumOf } from './minute-series.ts'

export interface Figures {
  before: number
  during: number
}

/** How one figure of a service is judged, minute by minute. */
export interface Judge {
  kind: AnomalyKind
  /** The figure by the name that answers call it. */
  metric: 'error_rate' | 'latency' | 'throughput'
  /** Whether minutes without requests count. */
  countsEmptyMinutes: boolean
  /** How many minutes in a row are looked at: few for what is plain, more for what is seldom asked. */
  runs: number[]
  figureOf(sums: MinuteSums, minutes: number): number
  /** Whether a figure is so far from what is usual that it is worth a closer look. */
  isFar(figure: number, usual: number): boolean
  /** Whether a run that is far from what is usual is so beyond chance. */
  isOff(run: MinuteSums[], before: MinuteSums[]): boolean
  /** Whether one minute is on the far side of what was normal. */
  isHigh(minute: MinuteSums, before: number): boolean
  isBack(figure: number, before: number): boolean
  isCritical(figures: Figures): boolean
  describe(figures: Figures): string
  describeBack(figure: number): string
}

export function figureOf(judge: Pick<Judge, 'figureOf'>, minutes: MinuteSums[]): number {
  return judge.figureOf(sumOf(minutes), minutes.length)
}

/** A figure as a sentence shows it: `0.2`, `18`, `1,240`. */
export function shownNumber(value: number): string {
  const digits = Math.abs(value) >= 10 ? 0 : Math.abs(value) >= 1 ? 1 : 2
  return Number(value.toFixed(digits)).toLocaleString('en-US')
}
