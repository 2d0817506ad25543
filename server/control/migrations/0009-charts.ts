import { randomUUID } from 'node:crypto'
import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await createCharts(db)
  await createDashboards(db)
  await addFirstDashboards(db as Kysely<FirstTables>)
}

async function createCharts(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('charts')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('grid_id', 'text', (column) => column.notNull().references('grids.id').onDelete('cascade'))
    .addColumn('title', 'text', (column) => column.notNull().check(sql`length(title) between 1 and 200`))
    .addColumn('chart_type', 'text', (column) => column.notNull().check(sql`chart_type in ('line', 'area', 'bar')`))
    .addColumn('service_name', 'text', (column) => column.check(sql`length(service_name) between 1 and 1024`))
    .addColumn('metrics', 'text', (column) => column.notNull().check(sql`length(metrics) between 2 and 20000`))
    .addColumn('filter', 'text', (column) => column.notNull().check(sql`length(filter) between 2 and 200000`))
    .addColumn('group_by', 'text', (column) => column.notNull().check(sql`length(group_by) <= 255`))
    .addColumn('unit', 'text', (column) => column.check(sql`length(unit) <= 63`))
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('updated_at_ms', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('charts_by_title').on('charts').columns(['grid_id', 'title']).execute()
}

async function createDashboards(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('dashboards')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('grid_id', 'text', (column) => column.notNull().references('grids.id').onDelete('cascade'))
    .addColumn('title', 'text', (column) => column.notNull().check(sql`length(title) between 1 and 200`))
    .addColumn('description', 'text', (column) => column.notNull().check(sql`length(description) <= 2000`))
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('updated_at_ms', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('dashboards_by_title').on('dashboards').columns(['grid_id', 'title']).execute()
  await db.schema
    .createTable('dashboard_tiles')
    .addColumn('dashboard_id', 'text', (column) => column.notNull().references('dashboards.id').onDelete('cascade'))
    .addColumn('place', 'integer', (column) => column.notNull())
    .addColumn('chart_id', 'text', (column) => column.notNull().references('charts.id').onDelete('cascade'))
    .addColumn('row', 'integer', (column) => column.notNull().check(sql`"row" >= 0`))
    .addColumn('col', 'integer', (column) => column.notNull().check(sql`col >= 0`))
    .addColumn('width', 'integer', (column) => column.notNull().check(sql`width >= 1 and col + width <= 12`))
    .addColumn('height', 'integer', (column) => column.notNull().check(sql`height >= 1`))
    .addPrimaryKeyConstraint('dashboard_tiles_key', ['dashboard_id', 'place'])
    .execute()
  await db.schema.createIndex('dashboard_tiles_by_chart').on('dashboard_tiles').column('chart_id').execute()
}

interface FirstTables {
  grids: { id: string }
  charts: Record<string, string | number | null>
  dashboards: Record<string, string | number>
  dashboard_tiles: Record<string, string | number>
}

/** The dashboard that new Grids had when dashboards came, for those that were there before. */
const FIRST_CHARTS = [
  ['Throughput', 'area', ['throughput'], '', [0, 0, 6, 4]],
  ['Error rate', 'line', ['error_rate'], '', [0, 6, 6, 4]],
  ['Latency percentiles', 'line', ['latency_p50', 'latency_p95', 'latency_p99'], '', [4, 0, 6, 4]],
  ['Apdex', 'line', ['apdex'], '', [4, 6, 6, 4]],
  ['Top services by errors', 'line', ['error_rate'], 'service.name', [8, 0, 12, 5]],
] as const

async function addFirstDashboards(db: Kysely<FirstTables>): Promise<void> {
  const times = { created_at_ms: Date.now(), updated_at_ms: Date.now() }
  for (const { id: grid_id } of await db.selectFrom('grids').select('id').execute()) {
    const dashboard_id = randomUUID()
    const description = 'How much is asked of the system, how quickly it answers, and what fails.'
    await db
      .insertInto('dashboards')
      .values({ id: dashboard_id, grid_id, title: 'Overview', description, ...times })
      .execute()
    for (const [place, [title, chart_type, metrics, group_by, [row, col, width, height]]] of FIRST_CHARTS.entries()) {
      const id = randomUUID()
      const chart = { title, chart_type, service_name: null, metrics: JSON.stringify(metrics), filter: '{}', group_by }
      await db
        .insertInto('charts')
        .values({ id, grid_id, ...chart, unit: null, ...times })
        .execute()
      const tile = { dashboard_id, place, chart_id: id, row, col, width, height }
      await db.insertInto('dashboard_tiles').values(tile).execute()
    }
  }
}
