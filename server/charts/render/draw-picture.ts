import { createCanvas, type SKRSContext2D } from '@napi-rs/canvas'
import { BarChart, LineChart } from 'echarts/charts'
import { GridComponent } from 'echarts/components'
import { init, setPlatformAPI, use } from 'echarts/core'
import { CanvasRenderer } from 'echarts/renderers'
import type { Picture } from '../picture.ts'
import { chartOptionOf } from './chart-option.ts'
import { encodePng } from './encode-png.ts'
import { FONT_FAMILY } from './fonts.ts'
import { type Layout, layoutOf, type MeasureText } from './layout.ts'
import { COLOURS, strokeOf } from './palette.ts'

use([BarChart, CanvasRenderer, GridComponent, LineChart])
// The library asks for canvases as a browser makes them.
setPlatformAPI({ createCanvas: () => createCanvas(1, 1) })

const DASHES = { solid: [], dashed: [3, 2], dotted: [1, 1] }

/** A PNG. The fonts must have been registered. */
export function drawPicture(picture: Picture): Buffer {
  const { width, height, series } = picture
  const canvas = createCanvas(width, height)
  const context = canvas.getContext('2d')
  const layout = layoutOf(picture, measureWith(context))
  const chart = init(canvas, null, { width, height, devicePixelRatio: 1 })
  try {
    chart.setOption(chartOptionOf(picture, layout, FONT_FAMILY))
    // Otherwise it is drawn with the next frame, which nobody shows.
    chart.getZr().flush()
    drawTitle(context, picture, layout)
    if (series.length === 0) drawNoData(context, picture, layout)
    for (const entry of layout.legend) drawLegendEntry(context, picture, layout, entry)
    return encodePng(canvas.data(), width, height)
  } finally {
    chart.dispose()
  }
}

function measureWith(context: SKRSContext2D): MeasureText {
  return (text, fontPx, weight = 400) => {
    context.font = `${weight} ${fontPx}px ${FONT_FAMILY}`
    return context.measureText(text).width
  }
}

function drawTitle(context: SKRSContext2D, { theme, width }: Picture, layout: Layout): void {
  const { title, padding, fontPx, titleFontPx } = layout
  const { text, muted } = COLOURS[theme]
  context.textBaseline = 'alphabetic'
  context.textAlign = 'left'
  context.fillStyle = text
  context.font = `600 ${titleFontPx}px ${FONT_FAMILY}`
  context.fillText(title.text, padding, title.baseline)
  const titleWidth = context.measureText(title.text).width
  context.fillStyle = muted
  context.font = `${fontPx}px ${FONT_FAMILY}`
  context.fillText(title.unit, padding + titleWidth + fontPx * 0.6, title.baseline)
  context.textAlign = 'right'
  context.fillText(title.range, width - padding, title.baseline)
}

function drawNoData(context: SKRSContext2D, { theme, width, height }: Picture, { plot, fontPx }: Layout): void {
  context.textAlign = 'center'
  context.textBaseline = 'middle'
  context.fillStyle = COLOURS[theme].muted
  context.font = `${Math.round(fontPx * 1.25)}px ${FONT_FAMILY}`
  context.fillText('No data', width / 2, (plot.top + height - plot.bottom - fontPx) / 2)
}

function drawLegendEntry(
  context: SKRSContext2D,
  { theme, chartType }: Picture,
  { fontPx, lineWidth }: Layout,
  { index, text, x, y }: Layout['legend'][number],
): void {
  const middle = y - fontPx * 0.35
  if (index !== undefined) {
    const { colour, dash } = strokeOf(theme, index)
    context.fillStyle = colour
    context.strokeStyle = colour
    if (chartType === 'line') {
      context.lineWidth = lineWidth * 1.5
      context.setLineDash(DASHES[dash].map((part) => part * context.lineWidth))
      context.beginPath()
      context.moveTo(x, middle)
      context.lineTo(x + fontPx * 1.15, middle)
      context.stroke()
      context.setLineDash([])
    } else context.fillRect(x, middle - fontPx * 0.4, fontPx * 0.8, fontPx * 0.8)
  }
  context.textAlign = 'left'
  context.textBaseline = 'alphabetic'
  context.fillStyle = COLOURS[theme].text
  context.font = `${fontPx}px ${FONT_FAMILY}`
  context.fillText(text, index === undefined ? x : x + fontPx * 1.6, y)
}
