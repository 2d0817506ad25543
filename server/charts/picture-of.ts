import type { ChartSettings } from '../domain/chart.ts'
import { NS_PER_MS, type TimeWindow } from '../domain/time-window.ts'
import type { ChartData } from './chart-data.ts'
import type { Picture } from './picture.ts'

/** What a picture of a chart's data shows. */
export function pictureOf(
  { title, chartType }: ChartSettings,
  { unit, stepNs, series }: ChartData,
  { startNs, endNs }: TimeWindow,
  look: Pick<Picture, 'width' | 'height' | 'theme'>,
): Picture {
  const msOf = (ns: bigint) => Number(ns / NS_PER_MS)
  return {
    ...look,
    title,
    unit,
    chartType,
    startMs: msOf(startNs),
    endMs: msOf(endNs),
    stepMs: msOf(stepNs),
    series: series.map(({ label, unit: own, points }) => ({
      label,
      unit: own,
      points: points.map(({ atNs, value }) => [msOf(atNs), value]),
    })),
  }
}
