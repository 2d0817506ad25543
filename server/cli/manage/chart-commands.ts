import { writeFile } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import type { Static } from 'typebox'
import { PICTURE_PIXELS, THEMES } from '../../charts/picture.ts'
import { CHART_METRICS, CHART_TYPES, type ChartType } from '../../domain/chart.ts'
import type * as schemas from '../../http/schemas/charts.ts'
import { type ApiCommand, type Asked, addApiCommand } from '../api-command.ts'
import { CommandFailed, WrongUsage } from '../failure.ts'
import { durationMs, keyValue, wholeNumber } from '../option-parsers.ts'
import type { Shell } from '../shell.ts'
import { type Column, formatTable } from '../table.ts'
import { allPages } from './all-pages.ts'

type ChartAnswer = Static<typeof schemas.chart>
type NewChart = Static<typeof schemas.newChart>
type RangeData = Static<typeof schemas.chartRangeData>

export function addChartCommands(program: Command, shell: Shell): void {
  const charts = program.command('charts').description('charts of a Grid, their data and pictures of them')
  addApiCommand(charts, shell, list)
  addApiCommand(charts, shell, show)
  addApiCommand(charts, shell, add)
  addApiCommand(charts, shell, update)
  addApiCommand(charts, shell, remove)
  addApiCommand(charts, shell, data)
  addApiCommand(charts, shell, render)
}

const COLUMNS: Column<ChartAnswer>[] = [
  { title: 'CHART', value: (chart) => chart.id },
  { title: 'TITLE', value: (chart) => chart.title },
  { title: 'TYPE', value: (chart) => chart.chartType },
  { title: 'METRICS', value: (chart) => chart.metrics.join(', ') },
  { title: 'SERVICE', value: (chart) => chart.serviceName ?? 'all' },
  { title: 'FILTER', value: (chart) => filterText(chart.filter) || null },
  { title: 'BY', value: (chart) => chart.groupBy || null },
  { title: 'UNIT', value: (chart) => chart.unit || null },
]

function filterText(filter: Record<string, string>): string {
  return Object.entries(filter)
    .map(([key, value]) => `${key}=${value}`)
    .join(', ')
}

const list: ApiCommand<ChartAnswer[]> = {
  usage: 'list',
  about: 'list the charts of a Grid',
  onGrid: true,
  ask: (asked) => listCharts(asked),
  show: (items) => formatTable(COLUMNS, items),
}

const show: ApiCommand<ChartAnswer> = {
  usage: 'show <chart>',
  about: 'show what a chart is about, by id or title',
  onGrid: true,
  ask: async (asked) => asked.client.get(await pathOf(asked, (await chartOf(asked)).id)),
  show: (chart) => formatTable(COLUMNS, [chart]),
}

interface ChartFlags {
  title?: string
  metric?: string[]
  type?: ChartType
  service?: string
  allServices?: true
  filter?: Record<string, string>
  groupBy?: string
  unit?: string
}

function several(text: string, earlier: string[] = []): string[] {
  return [...earlier, text]
}

const metricOption = () =>
  new Option('--metric <metric>', `${CHART_METRICS.join(', ')}, or a stored metric; may be repeated`).argParser(several)

const otherOptions = () => [
  new Option('--type <type>', 'by default line').choices(CHART_TYPES),
  new Option('--service <name>', 'the one service it is about; by default all').conflicts('allServices'),
  new Option('--filter <key=value>', 'an attribute that must have this value; may be repeated').argParser(keyValue),
  new Option('--group-by <attribute>', 'a line for each of its values: service.name, span.name, any attribute'),
  new Option('--unit <unit>', 'by default that of the metric'),
]

const add: ApiCommand<ChartAnswer, ChartFlags> = {
  usage: 'add <title>',
  about: 'add a chart: charts add "Slow carts" --metric latency_p95 --service cart',
  onGrid: true,
  options: [metricOption().makeOptionMandatory(), ...otherOptions()],
  ask: async ({ client, gridPath, args: [title], flags }) =>
    client.post(await chartsPath(gridPath), { ...bodyOf(flags), title }),
  show: (chart) => formatTable(COLUMNS, [chart]),
}

const update: ApiCommand<ChartAnswer, ChartFlags> = {
  usage: 'update <chart>',
  about: 'change a chart, by id or title; what is not given stays as it is',
  onGrid: true,
  options: [
    new Option('--title <text>', 'a new title'),
    metricOption(),
    ...otherOptions(),
    new Option('--all-services', 'make it about all services'),
  ],
  ask: async (asked) => {
    const change = bodyOf(asked.flags)
    if (Object.keys(change).length === 0)
      throw new WrongUsage('Say what is to be changed: see `faultline charts update --help`.')
    const { id, metric, unit, createdAt, updatedAt, ...kept } = await chartOf(asked)
    return asked.client.put(await pathOf(asked, id), { ...kept, ...change })
  },
  show: (chart) => formatTable(COLUMNS, [chart]),
}

const remove: ApiCommand<void> = {
  usage: 'remove <chart>',
  about: 'remove a chart, by id or title, from dashboards too',
  onGrid: true,
  ask: async (asked) => asked.client.remove(await pathOf(asked, (await chartOf(asked)).id)),
  show: () => 'Removed.',
}

interface RangeFlags {
  since?: number
  from?: string
  to?: string
}

const rangeOptions = () => [
  new Option('--since <duration>', 'the last 90s, 15m, 2h, 7d; by default 1h').argParser(durationMs),
  new Option('--from <datetime>', 'instead: from then on (ISO 8601)').conflicts('since'),
  new Option('--to <datetime>', 'before then; by default now').conflicts('since'),
]

function rangeOf({ since, from, to }: RangeFlags): { rangeStart?: string; rangeEnd?: string } {
  const start = since === undefined ? from : new Date(Date.now() - since).toISOString()
  return { ...(start !== undefined && { rangeStart: start }), ...(to !== undefined && { rangeEnd: to }) }
}

const data: ApiCommand<RangeData, RangeFlags> = {
  usage: 'data <chart>',
  about: 'show the data of a chart, by id or title',
  onGrid: true,
  options: rangeOptions(),
  ask: async (asked) =>
    asked.client.get(`${await pathOf(asked, (await chartOf(asked)).id)}/range-data`, rangeOf(asked.flags)),
  show: ({ title, unit, series }) => {
    if (series.length === 0) return 'No data.'
    const points = series.flatMap(({ label, dataPoints }) => dataPoints.map((point) => ({ label, ...point })))
    const columns: Column<(typeof points)[number]>[] = [
      { title: 'TIME', value: (point) => point.timestamp },
      { title: 'LINE', value: (point) => point.label },
      { title: unit === '' ? 'VALUE' : unit.toUpperCase(), value: (point) => point.value, align: 'right' },
    ]
    return `${title}\n\n${formatTable(columns, points)}`
  },
}

interface RenderFlags extends RangeFlags {
  output: string
  width?: number
  height?: number
  theme?: string
}

const pixels = wholeNumber(PICTURE_PIXELS.min, PICTURE_PIXELS.max)

const render: ApiCommand<{ file: string; bytes: number }, RenderFlags> = {
  usage: 'render <chart>',
  about: 'draw a chart, by id or title, into a PNG file',
  onGrid: true,
  options: [
    new Option('--output <file>', 'where to put it').default('chart.png'),
    new Option('--width <pixels>', `by default ${PICTURE_PIXELS.width}`).argParser(pixels),
    new Option('--height <pixels>', `by default ${PICTURE_PIXELS.height}`).argParser(pixels),
    new Option('--theme <theme>', 'by default dark').choices(THEMES),
    ...rangeOptions(),
  ],
  ask: async (asked) => {
    const { output, width, height, theme } = asked.flags
    const path = `${await pathOf(asked, (await chartOf(asked)).id)}/render`
    const png = await asked.client.getBytes(path, { width, height, theme, ...rangeOf(asked.flags) })
    await writeFile(output, png).catch((error: Error) => {
      throw new CommandFailed(`${output} cannot be written: ${error.message}`)
    })
    return { file: output, bytes: png.length }
  },
  show: ({ file }) => `Drawn: ${file}`,
}

/** What the flags say, and nothing else. */
function bodyOf(flags: ChartFlags): Partial<NewChart> {
  const given = {
    title: flags.title,
    metrics: flags.metric,
    chartType: flags.type,
    serviceName: flags.allServices ? null : flags.service,
    filter: flags.filter,
    groupBy: flags.groupBy,
    unit: flags.unit,
  }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

async function listCharts<Flags>({ client, gridPath }: Asked<Flags>): Promise<ChartAnswer[]> {
  return await allPages(client, await chartsPath(gridPath))
}

async function chartOf<Flags>(asked: Asked<Flags>): Promise<ChartAnswer> {
  const [named = ''] = asked.args
  const items = await listCharts(asked)
  const chart = items.find(({ id }) => id === named) ?? items.find(({ title }) => title === named)
  if (chart === undefined) throw new CommandFailed(`This Grid has no chart ${named}.`)
  return chart
}

async function chartsPath(gridPath: Asked<object>['gridPath']): Promise<string> {
  return `/apm/charts/${await gridPath()}/charts`
}

async function pathOf<Flags>({ gridPath }: Asked<Flags>, chartId: string): Promise<string> {
  return `${await chartsPath(gridPath)}/${encodeURIComponent(chartId)}`
}
