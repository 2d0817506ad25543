import type { Transaction } from 'kysely'
import { STARTER_DASHBOARD } from '../../domain/starter-dashboard.ts'
import type { ControlTables } from '../tables.ts'
import { newChartRow } from './charts.ts'
import { newDashboardRow, putTiles } from './dashboards.ts'

export async function addStarterDashboard(
  tx: Transaction<ControlTables>,
  gridId: string,
  nowMs: number,
): Promise<void> {
  const dashboard = newDashboardRow(gridId, STARTER_DASHBOARD, nowMs)
  const charts = STARTER_DASHBOARD.charts.map(({ chart }) => newChartRow(gridId, chart, nowMs))
  await tx.insertInto('dashboards').values(dashboard).execute()
  await tx.insertInto('charts').values(charts).execute()
  const tiles = STARTER_DASHBOARD.charts.map(({ position }, i) => ({ chartId: charts[i]?.id ?? '', position }))
  await putTiles(tx, gridId, dashboard.id, tiles)
}
