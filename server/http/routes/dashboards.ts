import type { ControlStore, Grid } from '../../control/control-store.ts'
import { DASHBOARD_LIMITS, type Dashboard } from '../../domain/dashboard.ts'
import { EDITS_CHARTS, READS } from '../access.ts'
import { dashboardAnswer, dashboardSettingsOf } from '../chart-answers.ts'
import type { Routes } from '../endpoint.ts'
import { pagingOf } from '../paging.ts'
import { Problem } from '../problem.ts'
import * as schemas from '../schemas/charts.ts'
import { pageOf, paging } from '../schemas/paging.ts'

const ALL = '/apm/dashboards/{gridSecondaryId}/dashboards'
const READING = { tag: 'Charts', access: READS } as const
const EDITING = { tag: 'Charts', access: EDITS_CHARTS } as const
const OF_DASHBOARD = { path: `${ALL}/{dashboardId}`, params: { dashboardId: schemas.dashboardId } }

export function registerDashboards({ onGrid }: Routes, { charts, dashboards }: ControlStore): void {
  async function answers(grid: Grid, found: Dashboard[]) {
    const ids = found.flatMap(({ tiles }) => tiles.map(({ chartId }) => chartId))
    const shown = await charts.findAll(grid.id, ids)
    return found.map((dashboard) => dashboardAnswer(dashboard, shown))
  }
  const answer = async (grid: Grid, found: Dashboard | undefined) =>
    (await answers(grid, found ? [found] : []))[0] ?? unknownDashboard()

  onGrid(
    {
      ...READING,
      method: 'GET',
      path: ALL,
      summary: 'List dashboards',
      query: paging,
      response: pageOf(schemas.dashboard, { items: 'By title.' }),
    },
    async ({ grid, query }) => {
      const { page, pageSize, portion } = pagingOf(query)
      const { items, totalCount } = await dashboards.list(grid.id, portion)
      return { items: await answers(grid, items), totalCount, page, pageSize }
    },
  )

  onGrid(
    {
      ...READING,
      ...OF_DASHBOARD,
      method: 'GET',
      summary: 'Get a dashboard',
      response: schemas.dashboard,
      problems: ['unknown-dashboard'],
    },
    async ({ grid, params: { dashboardId } }) => answer(grid, await dashboards.find(grid.id, dashboardId)),
  )

  onGrid(
    {
      ...EDITING,
      method: 'POST',
      path: ALL,
      summary: 'Create a dashboard',
      description: `A Grid may have ${DASHBOARD_LIMITS.dashboardsPerGridMax} of them. Charts are shown on a grid of 12 columns.`,
      body: schemas.newDashboard,
      response: schemas.dashboard,
      created: true,
    },
    async ({ grid, body, nowMs }) => answer(grid, await dashboards.create(grid.id, dashboardSettingsOf(body), nowMs)),
  )

  onGrid(
    {
      ...EDITING,
      ...OF_DASHBOARD,
      method: 'PUT',
      summary: 'Change a dashboard',
      description: 'Takes the dashboard as a whole: what is left out gets its default.',
      body: schemas.newDashboard,
      response: schemas.dashboard,
      problems: ['unknown-dashboard'],
    },
    async ({ grid, params: { dashboardId }, body, nowMs }) =>
      answer(grid, await dashboards.update(grid.id, dashboardId, dashboardSettingsOf(body), nowMs)),
  )

  onGrid(
    {
      ...EDITING,
      ...OF_DASHBOARD,
      method: 'DELETE',
      summary: 'Remove a dashboard',
      description: 'Its charts stay.',
      response: null,
      problems: ['unknown-dashboard'],
    },
    async ({ grid, params: { dashboardId } }) => {
      if (!(await dashboards.remove(grid.id, dashboardId))) unknownDashboard()
    },
  )
}

function unknownDashboard(): never {
  throw new Problem('unknown-dashboard', 'This Grid has no such dashboard.')
}
