import type { EChartsCoreOption } from 'echarts/core'
import type { Picture, PictureSeries } from '../picture.ts'
import type { Layout } from './layout.ts'
import { COLOURS, strokeOf } from './palette.ts'
import { valueText } from './value-text.ts'

/** Amounts of these units may be put on top of each other. */
const ADDITIVE_UNITS = ['req/s', 'records']

/** The plot itself, for the library that draws it: axes and lines, without title and legend. */
export function chartOptionOf(picture: Picture, layout: Layout, fontFamily: string): EChartsCoreOption {
  const { theme, startMs, endMs, series } = picture
  const colours = COLOURS[theme]
  const { fontPx, plot } = layout
  const units = [...new Set(series.map(({ unit }) => unit))]
  const axisUnits = units.length > 0 ? units.slice(0, 2) : [picture.unit]
  const hairline = Math.max(1, layout.lineWidth * 0.5)
  const label = { color: colours.muted, fontSize: fontPx, fontFamily }
  return {
    animation: false,
    useUTC: true,
    backgroundColor: colours.background,
    textStyle: { fontFamily },
    grid: { ...plot, outerBoundsMode: 'same', outerBoundsContain: 'axisLabel' },
    xAxis: {
      type: 'time',
      min: startMs,
      max: endMs,
      splitNumber: layout.xLabels,
      axisLabel: { ...label, formatter: TIME_FORMATS, hideOverlap: true, margin: Math.round(fontPx * 0.6) },
      axisLine: { lineStyle: { color: colours.axis, width: hairline } },
      axisTick: { show: true, length: Math.round(fontPx * 0.3), lineStyle: { color: colours.axis, width: hairline } },
      splitLine: { show: false },
    },
    yAxis: axisUnits.map((unit, i) => ({
      type: 'value',
      position: i === 0 ? 'left' : 'right',
      ...boundsOf(series.filter((each) => axisOf(each, axisUnits) === i)),
      splitNumber: layout.yLabels,
      axisLabel: {
        ...label,
        formatter: (value: number) => (i === 0 ? valueText(value, unit) : `${valueText(value, unit)} ${unit}`.trim()),
        hideOverlap: true,
        margin: Math.round(fontPx * 0.5),
      },
      splitLine: { show: i === 0, lineStyle: { color: colours.grid, width: hairline } },
    })),
    series: series.map((each, i) => seriesOption(each, i, axisOf(each, axisUnits), picture, layout)),
  }
}

const TIME_FORMATS = {
  year: '{yyyy}',
  month: '{d} {MMM}',
  day: '{d} {MMM}',
  hour: '{HH}:{mm}',
  minute: '{HH}:{mm}',
  second: '{HH}:{mm}:{ss}',
  millisecond: '{HH}:{mm}:{ss}',
}

function axisOf({ unit }: PictureSeries, axisUnits: string[]): number {
  return unit === axisUnits[0] ? 0 : axisUnits.length - 1
}

/** From 0 up, unless there is something below; and not flat where all is 0. */
function boundsOf(series: PictureSeries[]): { min?: number; max?: number } {
  let [least, greatest] = [0, 0]
  for (const { points } of series)
    for (const [, value] of points) {
      least = Math.min(least, value)
      greatest = Math.max(greatest, value)
    }
  return { ...(least === 0 && { min: 0 }), ...(least === 0 && greatest === 0 && { max: 1 }) }
}

function seriesOption(series: PictureSeries, index: number, yAxisIndex: number, picture: Picture, layout: Layout) {
  const { theme, chartType } = picture
  const { colour, dash } = strokeOf(theme, index)
  const common = { name: series.label, yAxisIndex, silent: true, itemStyle: { color: colour } }
  if (chartType === 'bar') {
    const stack = ADDITIVE_UNITS.includes(series.unit) ? { stack: series.unit } : {}
    return { ...common, ...stack, type: 'bar', barMaxWidth: layout.fontPx * 3, data: barsOf(series, picture) }
  }
  return {
    ...common,
    type: 'line',
    symbol: 'none',
    dimensions: ['atMs', 'value'],
    data: lineOf(series, picture, layout.lineWidth),
    lineStyle: { color: colour, width: layout.lineWidth, type: dash },
    ...(chartType === 'area' && { areaStyle: { color: colour, opacity: 0.22 } }),
  }
}

/** A bar stands in the middle of its step. */
function barsOf({ points }: PictureSeries, { stepMs }: Picture): [number, number][] {
  return points.map(([atMs, value]) => [atMs + stepMs / 2, value])
}

/** Points further apart than a step have a gap between them, and one that is alone is a dot. */
function lineOf({ points }: PictureSeries, { stepMs }: Picture, lineWidth: number): object {
  const isApart = (a: number, b: number) => {
    const [before, after] = [points[a]?.[0], points[b]?.[0]]
    return before === undefined || after === undefined || after - before > 1.5 * stepMs
  }
  const isWhole = points.length > 1 && points.every((_, i) => i === 0 || !isApart(i - 1, i))
  // The library copies what it is given, thing by thing, but for numbers in a row.
  if (isWhole) return Float64Array.from(points.flat())
  return points.flatMap(([atMs, value], i) => {
    const isAlone = isApart(i - 1, i) && isApart(i, i + 1)
    const dot = { value: [atMs, value], symbol: 'circle', symbolSize: lineWidth * 2.6 }
    const point = isAlone ? dot : [atMs, value]
    return i > 0 && isApart(i - 1, i) ? [[atMs - stepMs / 2, null], point] : [point]
  })
}
