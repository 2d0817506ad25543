import { chartData, unitsOf } from '../../charts/chart-data.ts'
import { PICTURE_PIXELS, type PictureMaker } from '../../charts/picture.ts'
import { pictureOf } from '../../charts/picture-of.ts'
import type { ControlStore, Grid } from '../../control/control-store.ts'
import { answerableWindow, oldestRawNs } from '../../diagnostics/answerable-window.ts'
import { CHART_LIMITS } from '../../domain/chart.ts'
import { NS_PER_HOUR, NS_PER_MS, type TimeWindow, windowOfMs } from '../../domain/time-window.ts'
import { EDITS_CHARTS, READS } from '../access.ts'
import { chartAnswer, chartSettingsOf, rangeDataAnswer } from '../chart-answers.ts'
import { storableWindow } from '../datetime.ts'
import type { Routes } from '../endpoint.ts'
import { pagingOf } from '../paging.ts'
import { Problem } from '../problem.ts'
import * as schemas from '../schemas/charts.ts'
import { pageOf, paging } from '../schemas/paging.ts'
import { datetimeOf } from '../time-range.ts'

const ALL = '/apm/charts/{gridSecondaryId}/charts'
const READING = { tag: 'Charts', access: READS } as const
const EDITING = { tag: 'Charts', access: EDITS_CHARTS } as const
const OF_CHART = { path: `${ALL}/{chartId}`, params: { chartId: schemas.chartId } }

const WHAT_METRICS_ARE =
  'Metrics of requests count what Diagnostics calls so: `latency_…` in milliseconds, `error_rate` in percent, `throughput` in requests a second, `apdex` from 0 to 1. `log_count` is the number of log records in each step. Of a stored metric, a gauge is its average, a sum that only grows is its growth per second in all series together (a counter that begins anew has grown from 0), another sum the total of its series, a histogram its 95th percentile, a summary its mean; a suffix asks for another reading: `:avg`, `:min`, `:max`, `:sum`, `:rate`, `:p50` to `:p99.99`. Seconds are told in milliseconds.'

export function registerCharts(
  { onGrid }: Routes,
  { charts }: ControlStore,
  pictures: Pick<PictureMaker, 'draw'>,
): void {
  const chartOf = async (grid: Grid, id: string) => (await charts.find(grid.id, id)) ?? unknownChart()

  onGrid(
    {
      ...READING,
      method: 'GET',
      path: ALL,
      summary: 'List charts',
      query: paging,
      response: pageOf(schemas.chart, { items: 'By title.' }),
    },
    async ({ grid, reader, query, nowMs }) => {
      const { page, pageSize, portion } = pagingOf(query)
      const { items, totalCount } = await charts.list(grid.id, portion)
      const units = await unitsOf(reader, items, lastDay(nowMs))
      return { items: items.map((chart, i) => chartAnswer(chart, units[i] ?? '')), totalCount, page, pageSize }
    },
  )

  onGrid(
    {
      ...READING,
      ...OF_CHART,
      method: 'GET',
      summary: 'Get a chart',
      response: schemas.chart,
      problems: ['unknown-chart'],
    },
    async ({ grid, reader, params: { chartId }, nowMs }) => {
      const chart = await chartOf(grid, chartId)
      const [unit = ''] = await unitsOf(reader, [chart], lastDay(nowMs))
      return chartAnswer(chart, unit)
    },
  )

  onGrid(
    {
      ...READING,
      method: 'GET',
      path: `${OF_CHART.path}/range-data`,
      params: OF_CHART.params,
      summary: 'Get the data of a chart',
      description:
        'A point stands for a step of whole minutes from its timestamp on; the longer the range, the longer the step, so that a line has at most 300 points. Beyond the time that spans are kept, the range is widened to whole minutes. At most 100 lines, the greatest.',
      query: schemas.rangeQuery,
      response: schemas.chartRangeData,
      problems: ['unknown-chart'],
    },
    async ({ grid, reader, params: { chartId }, query, nowMs }) => {
      const window = windowOf(query, grid, nowMs)
      const chart = await chartOf(grid, chartId)
      return rangeDataAnswer(chart, window, await chartData(reader, chart, window, BigInt(nowMs) * NS_PER_MS))
    },
  )

  onGrid(
    {
      ...READING,
      method: 'GET',
      path: `${OF_CHART.path}/render`,
      params: OF_CHART.params,
      summary: 'Draw a chart',
      description: 'A picture of the same data, for a report. Times are in UTC. The same data gives the same bytes.',
      query: schemas.renderQuery,
      response: schemas.png,
      contentType: 'image/png',
      problems: ['unknown-chart', 'too-many-pictures'],
    },
    async ({ grid, reader, params: { chartId }, query, nowMs, header }) => {
      const window = windowOf(query, grid, nowMs)
      const chart = await chartOf(grid, chartId)
      const data = await chartData(reader, chart, window, BigInt(nowMs) * NS_PER_MS)
      const { width = PICTURE_PIXELS.width, height = PICTURE_PIXELS.height, theme = 'dark' } = query
      const drawn = await pictures.draw(pictureOf(chart, data, window, { width, height, theme }))
      header('content-disposition', 'inline; filename="chart.png"')
      return Buffer.from(drawn.buffer, drawn.byteOffset, drawn.byteLength)
    },
  )

  onGrid(
    {
      ...EDITING,
      method: 'POST',
      path: ALL,
      summary: 'Create a chart',
      description: `A Grid may have ${CHART_LIMITS.chartsPerGridMax} of them. ${WHAT_METRICS_ARE}`,
      body: schemas.newChart,
      response: schemas.chart,
      created: true,
    },
    async ({ grid, reader, body, nowMs }) => {
      const chart = await charts.create(grid.id, chartSettingsOf(body), nowMs)
      const [unit = ''] = await unitsOf(reader, [chart], lastDay(nowMs))
      return chartAnswer(chart, unit)
    },
  )

  onGrid(
    {
      ...EDITING,
      ...OF_CHART,
      method: 'PUT',
      summary: 'Change a chart',
      description: 'Takes the chart as a whole: what is left out gets its default.',
      body: schemas.newChart,
      response: schemas.chart,
      problems: ['unknown-chart'],
    },
    async ({ grid, reader, params: { chartId }, body, nowMs }) => {
      const chart = (await charts.update(grid.id, chartId, chartSettingsOf(body), nowMs)) ?? unknownChart()
      const [unit = ''] = await unitsOf(reader, [chart], lastDay(nowMs))
      return chartAnswer(chart, unit)
    },
  )

  onGrid(
    {
      ...EDITING,
      ...OF_CHART,
      method: 'DELETE',
      summary: 'Remove a chart',
      description: 'It disappears from dashboards too.',
      response: null,
      problems: ['unknown-chart'],
    },
    async ({ grid, params: { chartId } }) => {
      if (!(await charts.remove(grid.id, chartId))) unknownChart()
    },
  )
}

/** In which the unit of a stored metric is looked for. */
function lastDay(nowMs: number): TimeWindow {
  return windowOfMs(nowMs - 86_400_000, nowMs + 3_600_000)
}

interface RangeQuery {
  rangeStart?: string | undefined
  rangeEnd?: string | undefined
}

/** The last hour where nothing is said; widened where only sums by the minute are kept. */
function windowOf({ rangeStart, rangeEnd }: RangeQuery, grid: Grid, nowMs: number): TimeWindow {
  const nowNs = BigInt(nowMs) * NS_PER_MS
  const endNs = rangeEnd === undefined ? nowNs : datetimeOf(['rangeEnd', rangeEnd], 'invalid-parameter')
  const startNs =
    rangeStart === undefined ? endNs - NS_PER_HOUR : datetimeOf(['rangeStart', rangeStart], 'invalid-parameter')
  if (endNs <= startNs) throw new Problem('invalid-parameter', 'rangeEnd must be after rangeStart.')
  return answerableWindow(storableWindow({ startNs, endNs }), oldestRawNs(nowNs, grid))
}

function unknownChart(): never {
  throw new Problem('unknown-chart', 'This Grid has no such chart.')
}
