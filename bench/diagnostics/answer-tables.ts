import { number, printTable } from '../report/table.ts'
import type { Answered } from './ask-under-load.ts'

/** What was answered about a number of spans. */
export interface Scale {
  spans: number
  answered: Answered[]
}

/** Median and p99 at each scale, and how much longer an answer takes at the largest than at the smallest. */
export function printScales(title: string, scales: Scale[]): void {
  const last = scales.at(-1)
  if (!last) return
  const head = [
    'milliseconds',
    ...scales.flatMap(({ spans }) => [`${number(spans)}: median`, 'p99', 'times']),
    'growth',
    'target',
    '',
    'answer',
  ]
  const rows = last.answered.map((answered, i) => [
    answered.endpoint.name,
    ...scales.flatMap((scale) => timingCells(scale.answered[i] ?? answered)),
    growth(scales[0]?.answered[i], answered),
    targetOf(answered),
    verdictOf(answered),
    `${number(answered.answerBytes / 1000)} kB`,
  ])
  printTable(title, head, rows)
}

function timingCells({ medianMs, p99Ms, count }: Answered): string[] {
  return [number(medianMs), number(p99Ms), String(count)]
}

function growth(smallest: Answered | undefined, largest: Answered): string {
  return smallest === undefined || smallest === largest ? '' : `${number(largest.medianMs / smallest.medianMs)} ×`
}

function targetOf({ endpoint: { medianMaxMs, p99MaxMs } }: Answered): string {
  return medianMaxMs === p99MaxMs ? `< ${medianMaxMs}` : `< ${medianMaxMs}, ${p99MaxMs}`
}

function verdictOf({ endpoint, medianMs, p99Ms, failure }: Answered): string {
  if (failure !== undefined) return 'FAILED'
  return medianMs < endpoint.medianMaxMs && p99Ms < endpoint.p99MaxMs ? 'met' : 'MISSED'
}
