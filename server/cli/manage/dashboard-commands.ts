import { type Command, Option } from 'commander'
import type { Static } from 'typebox'
import type * as schemas from '../../http/schemas/charts.ts'
import { type ApiCommand, type Asked, addApiCommand } from '../api-command.ts'
import { CommandFailed, WrongUsage } from '../failure.ts'
import type { Shell } from '../shell.ts'
import { type Column, formatTable } from '../table.ts'
import { allPages } from './all-pages.ts'

type DashboardAnswer = Static<typeof schemas.dashboard>
type Tile = DashboardAnswer['charts'][number]

export function addDashboardCommands(program: Command, shell: Shell): void {
  const dashboards = program.command('dashboards').description('dashboards of a Grid')
  addApiCommand(dashboards, shell, list)
  addApiCommand(dashboards, shell, show)
  addApiCommand(dashboards, shell, add)
  addApiCommand(dashboards, shell, update)
  addApiCommand(dashboards, shell, remove)
}

const COLUMNS: Column<DashboardAnswer>[] = [
  { title: 'DASHBOARD', value: (dashboard) => dashboard.id },
  { title: 'TITLE', value: (dashboard) => dashboard.title },
  { title: 'CHARTS', value: (dashboard) => dashboard.charts.length, align: 'right' },
  { title: 'CHANGED', value: (dashboard) => dashboard.updatedAt },
]

const TILE_COLUMNS: Column<Tile>[] = [
  { title: 'CHART', value: (tile) => tile.chartId },
  { title: 'TITLE', value: (tile) => tile.title },
  { title: 'TYPE', value: (tile) => tile.chartType },
  { title: 'ROW', value: (tile) => tile.position.row, align: 'right' },
  { title: 'COL', value: (tile) => tile.position.col, align: 'right' },
  { title: 'WIDTH', value: (tile) => tile.position.width, align: 'right' },
  { title: 'HEIGHT', value: (tile) => tile.position.height, align: 'right' },
]

const list: ApiCommand<DashboardAnswer[]> = {
  usage: 'list',
  about: 'list the dashboards of a Grid',
  onGrid: true,
  ask: (asked) => listDashboards(asked),
  show: (items) => formatTable(COLUMNS, items),
}

const show: ApiCommand<DashboardAnswer> = {
  usage: 'show <dashboard>',
  about: 'show what is on a dashboard, by id or title',
  onGrid: true,
  ask: async (asked) => asked.client.get(await pathOf(asked, (await dashboardOf(asked)).id)),
  show: showDashboard,
}

interface DashboardFlags {
  title?: string
  description?: string
  chart?: string[]
}

function several(text: string, earlier: string[] = []): string[] {
  return [...earlier, text]
}

const options = () => [
  new Option('--description <text>', 'what it is for'),
  new Option('--chart <id>', 'a chart of the Grid; may be repeated').argParser(several),
]

const add: ApiCommand<DashboardAnswer, DashboardFlags> = {
  usage: 'add <title>',
  about: 'add a dashboard; its charts are placed two in a row',
  onGrid: true,
  options: options(),
  ask: async ({ client, gridPath, args: [title], flags: { description, chart = [] } }) =>
    client.post(await dashboardsPath(gridPath), {
      title,
      ...(description !== undefined && { description }),
      charts: chart.map((chartId) => ({ chartId })),
    }),
  show: showDashboard,
}

const update: ApiCommand<DashboardAnswer, DashboardFlags> = {
  usage: 'update <dashboard>',
  about: 'change a dashboard, by id or title; charts that stay keep their places',
  onGrid: true,
  options: [new Option('--title <text>', 'a new title'), ...options()],
  ask: async (asked) => {
    const { title, description, chart } = asked.flags
    if (title === undefined && description === undefined && chart === undefined)
      throw new WrongUsage('Say what is to be changed: see `faultline dashboards update --help`.')
    const current = await dashboardOf(asked)
    const kept = current.charts.map(({ chartId, position }) => ({ chartId, position }))
    const charts = chart?.map((chartId) => kept.find((tile) => tile.chartId === chartId) ?? { chartId }) ?? kept
    return asked.client.put(await pathOf(asked, current.id), {
      title: title ?? current.title,
      description: description ?? current.description,
      charts,
    })
  },
  show: showDashboard,
}

const remove: ApiCommand<void> = {
  usage: 'remove <dashboard>',
  about: 'remove a dashboard, by id or title; its charts stay',
  onGrid: true,
  ask: async (asked) => asked.client.remove(await pathOf(asked, (await dashboardOf(asked)).id)),
  show: () => 'Removed.',
}

function showDashboard({ title, description, charts }: DashboardAnswer): string {
  const head = description === '' ? title : `${title}: ${description}`
  return charts.length === 0 ? `${head}\n\nIt has no charts.` : `${head}\n\n${formatTable(TILE_COLUMNS, charts)}`
}

async function listDashboards<Flags>({ client, gridPath }: Asked<Flags>): Promise<DashboardAnswer[]> {
  return await allPages(client, await dashboardsPath(gridPath))
}

async function dashboardOf<Flags>(asked: Asked<Flags>): Promise<DashboardAnswer> {
  const [named = ''] = asked.args
  const items = await listDashboards(asked)
  const dashboard = items.find(({ id }) => id === named) ?? items.find(({ title }) => title === named)
  if (dashboard === undefined) throw new CommandFailed(`This Grid has no dashboard ${named}.`)
  return dashboard
}

async function dashboardsPath(gridPath: Asked<object>['gridPath']): Promise<string> {
  return `/apm/dashboards/${await gridPath()}/dashboards`
}

async function pathOf<Flags>({ gridPath }: Asked<Flags>, dashboardId: string): Promise<string> {
  return `${await dashboardsPath(gridPath)}/${encodeURIComponent(dashboardId)}`
}
