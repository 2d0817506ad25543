import { randomUUID } from 'node:crypto'
import type { Selectable, Transaction } from 'kysely'
import { DASHBOARD_LIMITS, type Dashboard, type DashboardSettings, type Tile } from '../../domain/dashboard.ts'
import type { DashboardStore } from '../chart-store.ts'
import { RecordRefused } from '../record-refused.ts'
import type { ControlTables } from '../tables.ts'
import { translatingConstraints } from './constraint-errors.ts'
import type { ControlDatabase } from './database.ts'

type DashboardRow = Selectable<ControlTables['dashboards']>
type TileRow = Selectable<ControlTables['dashboard_tiles']>

export function createDashboards(db: ControlDatabase): DashboardStore {
  const dashboardsOf = (gridId: string) => db.selectFrom('dashboards').where('grid_id', '=', gridId)

  async function withTiles(rows: DashboardRow[]): Promise<Dashboard[]> {
    const ids = rows.map(({ id }) => id)
    if (ids.length === 0) return []
    const query = db.selectFrom('dashboard_tiles').selectAll().where('dashboard_id', 'in', ids)
    const tiles = await query.orderBy('dashboard_id').orderBy('place').execute()
    return rows.map((row) => dashboardOf(row, tiles.filter((tile) => tile.dashboard_id === row.id).map(tileOf)))
  }

  return {
    async create(gridId, settings, nowMs) {
      const row = newDashboardRow(gridId, settings, nowMs)
      const made = db.transaction().execute(async (tx) => {
        await refuseTooMany(tx, gridId)
        await tx.insertInto('dashboards').values(row).execute()
        await putTiles(tx, gridId, row.id, settings.tiles)
      })
      await translatingConstraints('There is such a dashboard already.', made)
      return dashboardOf(row, settings.tiles)
    },

    async find(gridId, id) {
      const [found] = await withTiles(await dashboardsOf(gridId).selectAll().where('id', '=', id).execute())
      return found
    },

    async list(gridId, { offset, limit }) {
      const counted = dashboardsOf(gridId).select(({ fn }) => fn.countAll<number>().as('count'))
      const { count } = await counted.executeTakeFirstOrThrow()
      const sorted = dashboardsOf(gridId).selectAll().orderBy('title').orderBy('created_at_ms').orderBy('id')
      const rows = await sorted.offset(offset).limit(limit).execute()
      return { items: await withTiles(rows), totalCount: count }
    },

    async update(gridId, id, settings, nowMs) {
      const { title, description, tiles } = settings
      const changed = db.transaction().execute(async (tx) => {
        const query = tx.updateTable('dashboards').set({ title, description, updated_at_ms: nowMs })
        const row = await query.where('grid_id', '=', gridId).where('id', '=', id).returningAll().executeTakeFirst()
        if (row === undefined) return undefined
        await tx.deleteFrom('dashboard_tiles').where('dashboard_id', '=', id).execute()
        await putTiles(tx, gridId, id, tiles)
        return dashboardOf(row, tiles)
      })
      return translatingConstraints('There is such a dashboard already.', changed)
    },

    async remove(gridId, id) {
      const query = db.deleteFrom('dashboards').where('grid_id', '=', gridId).where('id', '=', id)
      return (await query.executeTakeFirst()).numDeletedRows > 0n
    },
  }
}

export function newDashboardRow(
  gridId: string,
  { title, description }: Pick<DashboardSettings, 'title' | 'description'>,
  nowMs: number,
): DashboardRow {
  return { id: randomUUID(), grid_id: gridId, title, description, created_at_ms: nowMs, updated_at_ms: nowMs }
}

/** Only charts of the same Grid: those of others are as good as none. */
export async function putTiles(
  tx: Transaction<ControlTables>,
  gridId: string,
  dashboardId: string,
  tiles: Tile[],
): Promise<void> {
  if (tiles.length === 0) return
  const query = tx.selectFrom('charts').select('id').where('grid_id', '=', gridId)
  const ids = tiles.map(({ chartId }) => chartId)
  const known = new Set((await query.where('id', 'in', ids).execute()).map(({ id }) => id))
  const unknown = tiles.findIndex(({ chartId }) => !known.has(chartId))
  if (unknown !== -1) throw new RecordRefused(`charts/${unknown}/chartId: this Grid has no such chart.`)
  const rows = tiles.map(({ chartId, position }, place) => ({
    dashboard_id: dashboardId,
    place,
    chart_id: chartId,
    ...position,
  }))
  await tx.insertInto('dashboard_tiles').values(rows).execute()
}

async function refuseTooMany(tx: Transaction<ControlTables>, gridId: string): Promise<void> {
  const { dashboardsPerGridMax } = DASHBOARD_LIMITS
  const query = tx.selectFrom('dashboards').select(({ fn }) => fn.countAll<number>().as('count'))
  const { count } = await query.where('grid_id', '=', gridId).executeTakeFirstOrThrow()
  if (count >= dashboardsPerGridMax)
    throw new RecordRefused(`A Grid may have at most ${dashboardsPerGridMax} dashboards.`)
}

function tileOf({ chart_id, row, col, width, height }: TileRow): Tile {
  return { chartId: chart_id, position: { row, col, width, height } }
}

function dashboardOf(row: DashboardRow, tiles: Tile[]): Dashboard {
  return {
    id: row.id,
    gridId: row.grid_id,
    title: row.title,
    description: row.description,
    tiles,
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
  }
}
