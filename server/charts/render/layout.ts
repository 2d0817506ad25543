import type { Picture } from '../picture.ts'

export type Weight = 400 | 600
export type MeasureText = (text: string, fontPx: number, weight?: Weight) => number

interface LegendEntry {
  /** Undefined for the one that says how many are not shown. */
  index: number | undefined
  text: string
  x: number
  y: number
}

/** Where everything is, in pixels. */
export interface Layout {
  fontPx: number
  titleFontPx: number
  lineWidth: number
  padding: number
  title: { text: string; unit: string; range: string; baseline: number }
  plot: { left: number; right: number; top: number; bottom: number }
  legend: LegendEntry[]
  /** About how many labels an axis has room for. */
  xLabels: number
  yLabels: number
}

const REFERENCE_PIXELS = 800 * 400
/** In a picture that is narrower than this, text is smaller however long it is. */
const NARROW_PIXELS = 200
const FONT_PX = 12
const LEGEND_SHARE = 0.3
/** More lines than this are told apart better where they are thin; and thin ones are drawn in half the time. */
const MANY_LINES = 15

/** Text grows with the picture, and stays readable in a small one, which has less of it. */
export function layoutOf(picture: Picture, measure: MeasureText): Layout {
  const { width, height } = picture
  const grown = Math.min(Math.sqrt((width * height) / REFERENCE_PIXELS), Math.min(width, height) / NARROW_PIXELS)
  const scale = Math.min(5, Math.max(0.75, grown))
  const fontPx = Math.round(FONT_PX * scale)
  const titleFontPx = Math.round(fontPx * 1.25)
  const padding = Math.round(Math.min(fontPx, width * 0.04, height * 0.04) + 2)
  const top = padding + titleFontPx + Math.round(fontPx * 0.9)
  const legend = legendOf(picture, measure, { fontPx, padding })
  return {
    fontPx,
    titleFontPx,
    lineWidth: (picture.series.length > MANY_LINES ? 1 : 1.6) * scale,
    padding,
    title: titleOf(picture, measure, { fontPx, titleFontPx, padding }),
    plot: { left: padding, right: padding, top, bottom: padding + legend.height },
    legend: legend.entries,
    xLabels: Math.max(1, Math.floor(width / (fontPx * 8))),
    yLabels: Math.max(2, Math.min(8, Math.floor((height - top - legend.height) / (fontPx * 3.5)))),
  }
}

function titleOf(
  picture: Picture,
  measure: MeasureText,
  { fontPx, titleFontPx, padding }: { fontPx: number; titleFontPx: number; padding: number },
): Layout['title'] {
  const room = picture.width - 2 * padding
  const unitText = picture.unit === '' ? '' : `(${picture.unit})`
  const unitWidth = unitText === '' ? 0 : measure(unitText, fontPx) + fontPx * 0.6
  const hasUnit = unitWidth < room * 0.4
  const measureTitle = (part: string) => measure(part, titleFontPx, 600)
  const text = shortened(picture.title, room - (hasUnit ? unitWidth : 0), 'end', measureTitle)
  const left = room - measureTitle(text) - (hasUnit ? unitWidth : 0)
  const range = rangeText(picture)
  const fits = left > measure(range, fontPx) + 2 * fontPx
  return { text, unit: hasUnit ? unitText : '', range: fits ? range : '', baseline: padding + titleFontPx }
}

function legendOf(
  { series, width, height }: Picture,
  measure: MeasureText,
  { fontPx, padding }: { fontPx: number; padding: number },
): { entries: LegendEntry[]; height: number } {
  const rowHeight = Math.round(fontPx * 1.55)
  const rowsMax = Math.floor((height * LEGEND_SHARE - padding) / rowHeight)
  if (series.length === 0 || rowsMax < 1 || width < 14 * fontPx) return { entries: [], height: 0 }
  const mark = fontPx * 1.6
  const room = width - 2 * padding
  const labelMax = Math.min(room - mark, Math.max(room / 3, fontPx * 14))
  const rows: { index: number | undefined; text: string; width: number }[][] = [[]]
  const rowWidth = (row: { width: number }[]) => row.reduce((sum, each) => sum + each.width, 0)
  let shown = 0
  for (const [index, { label }] of series.entries()) {
    const text = shortened(label, labelMax, 'middle', (part) => measure(part, fontPx))
    const entry = { index, text, width: measure(text, fontPx) + mark + fontPx }
    const row = rows.at(-1) as (typeof rows)[number]
    const rest = series.length - index - 1
    const moreWidth = rest > 0 && rows.length === rowsMax ? measure(moreText(rest), fontPx) + mark : 0
    if (rowWidth(row) + entry.width - fontPx + moreWidth <= room) row.push(entry)
    else if (rows.length < rowsMax) rows.push([entry])
    else break
    shown++
  }
  const left = series.length - shown
  if (left > 0) rows.at(-1)?.push({ index: undefined, text: moreText(left), width: 0 })
  const firstBaseline = height - padding - (rows.length - 1) * rowHeight - Math.round(fontPx * 0.2)
  const entries = rows.flatMap((row, i) => {
    let x = padding
    return row.map(({ index, text, width: entryWidth }) => {
      const entry = { index, text, x, y: firstBaseline + i * rowHeight }
      x += entryWidth
      return entry
    })
  })
  return { entries, height: rows.length * rowHeight + Math.round(fontPx * 0.6) }
}

function moreText(count: number): string {
  return `+ ${count} more`
}

/** Whole characters, with an ellipsis where some are left out: names often differ only in how they end. */
function shortened(text: string, room: number, leftOut: 'middle' | 'end', measure: (text: string) => number): string {
  if (measure(text) <= room) return text
  const characters = Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment)
  const keeping = (count: number) => {
    const atEnd = leftOut === 'middle' ? Math.floor(count / 3) : 0
    const end = characters.slice(characters.length - atEnd).join('')
    return `${characters
      .slice(0, count - atEnd)
      .join('')
      .trimEnd()}…${end.trimStart()}`
  }
  let [fits, tooMany] = [0, characters.length]
  while (tooMany - fits > 1) {
    const middle = Math.floor((fits + tooMany) / 2)
    if (measure(keeping(middle)) <= room) fits = middle
    else tooMany = middle
  }
  return keeping(fits)
}

/** `2026-03-01 11:00 – 12:00 UTC`; the day of the end only where it is another one. */
function rangeText({ startMs, endMs }: Picture): string {
  const [start, end] = [startMs, endMs].map((ms) => new Date(ms).toISOString().slice(0, 16).replace('T', ' '))
  const [startDay] = (start as string).split(' ')
  const [endDay, endTime] = (end as string).split(' ')
  return `${start} – ${startDay === endDay ? endTime : end} UTC`
}
