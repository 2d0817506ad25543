import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { ChartSettings } from '../../domain/chart.ts'
import { STARTER_DASHBOARD } from '../../domain/starter-dashboard.ts'
import type { ControlStore } from '../control-store.ts'
import { RecordRefused } from '../record-refused.ts'
import { openSqliteControlStore } from './open-control-store.ts'

const NOW_MS = 1_800_000_000_000
const ALL = { offset: 0, limit: 1000 }
const CHART: ChartSettings = {
  title: 'Carts',
  chartType: 'bar',
  serviceName: 'cart',
  metrics: ['throughput', 'my.metric:p99'],
  filter: { 'http.route': '/cart' },
  groupBy: 'host.name',
  unit: 'carts',
}

let control: ControlStore
let gridId: string
beforeAll(async () => {
  control = await openSqliteControlStore(':memory:')
})
beforeEach(async () => {
  gridId = (await control.grids.create({ name: 'Shop' })).id
})
afterAll(() => control.close())

async function starterOf({ charts, dashboards }: ControlStore, grid: string) {
  const { items } = await dashboards.list(grid, ALL)
  const shown = await charts.findAll(
    grid,
    items.flatMap(({ tiles }) => tiles.map(({ chartId }) => chartId)),
  )
  return items.map(({ title, description, tiles }) => ({
    title,
    description,
    charts: tiles.map(({ chartId, position }) => {
      const { id, gridId: _, createdAtMs, updatedAtMs, ...chart } = shown.find((each) => each.id === chartId) ?? {}
      return { chart, position }
    }),
  }))
}

it('gives a dashboard to new Grids, and to those that were there before dashboards were', async () => {
  expect(await starterOf(control, gridId)).toEqual([STARTER_DASHBOARD])

  const folder = await mkdtemp(join(tmpdir(), 'control-'))
  const path = join(folder, 'control.db')
  const first = await openSqliteControlStore(path)
  const old = await first.grids.create({ name: 'Old' })
  await first.close()
  const database = new Database(path)
  database.exec(
    "drop table dashboard_tiles; drop table dashboards; drop table charts; delete from kysely_migration where name >= '0009'",
  )
  database.close()
  const second = await openSqliteControlStore(path)
  expect(await starterOf(second, old.id)).toEqual([STARTER_DASHBOARD])
  await second.close()
  await rm(folder, { recursive: true, force: true })
})

it('keeps a chart with everything that was set, and changes it as a whole', async () => {
  const chart = await control.charts.create(gridId, CHART, NOW_MS)
  expect(chart).toEqual({ ...CHART, id: chart.id, gridId, createdAtMs: NOW_MS, updatedAtMs: NOW_MS })
  expect(await control.charts.find(gridId, chart.id)).toEqual(chart)
  const change = { ...CHART, serviceName: null, filter: {}, groupBy: '', unit: null }
  const changed = await control.charts.update(gridId, chart.id, change, NOW_MS + 1)
  expect(changed).toEqual({ ...chart, ...change, updatedAtMs: NOW_MS + 1 })
  expect(await control.charts.find(gridId, chart.id)).toEqual(changed)
})

it('takes a limited number of charts and dashboards', async () => {
  const { totalCount } = await control.charts.list(gridId, ALL)
  for (let i = totalCount; i < 500; i++) await control.charts.create(gridId, CHART, NOW_MS)
  await expect(control.charts.create(gridId, CHART, NOW_MS)).rejects.toThrow(RecordRefused)
  const dashboard = { title: 'D', description: '', tiles: [] }
  for (let i = 1; i < 100; i++) await control.dashboards.create(gridId, dashboard, NOW_MS)
  await expect(control.dashboards.create(gridId, dashboard, NOW_MS)).rejects.toThrow('at most 100 dashboards')
})

it('refuses a chart of a Grid that does not exist', async () => {
  await expect(control.charts.create('nowhere', CHART, NOW_MS)).rejects.toThrow(RecordRefused)
})
