import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await createEvents(db)
  await db.schema
    .createTable('event_hours')
    .addColumn('grid_id', 'text', (column) => column.notNull().references('grids.id').onDelete('cascade'))
    .addColumn('hour_start_ms', 'bigint', (column) => column.notNull())
    .addColumn('version', 'text', (column) => column.notNull().check(sql`length(version) <= 1000`))
    .addColumn('state', 'text', (column) => column.check(sql`length(state) <= 50000000`))
    .addPrimaryKeyConstraint('event_hours_key', ['grid_id', 'hour_start_ms'])
    .execute()
  await db.schema
    .createTable('event_sightings')
    .addColumn('grid_id', 'text', (column) => column.notNull().references('grids.id').onDelete('cascade'))
    .addColumn('service_name', 'text', (column) => column.notNull().check(sql`length(service_name) <= 70000`))
    .addColumn('operation_name', 'text', (column) => column.notNull().check(sql`length(operation_name) <= 70000`))
    .addColumn('first_ms', 'bigint', (column) => column.notNull())
    .addColumn('last_ms', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('event_sightings_key', ['grid_id', 'service_name', 'operation_name'])
    .execute()
}

async function createEvents(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('events')
    .addColumn('grid_id', 'text', (column) => column.notNull().references('grids.id').onDelete('cascade'))
    .addColumn('key', 'text', (column) => column.notNull().check(sql`length(key) between 1 and 1000`))
    .addColumn('at_ms', 'bigint', (column) => column.notNull())
    .addColumn('type', 'text', (column) =>
      column
        .notNull()
        .check(
          sql`type in ('deployment', 'scaling', 'new_service', 'new_endpoint', 'configuration', 'anomaly', 'alert', 'recovery')`,
        ),
    )
    .addColumn('severity', 'text', (column) => column.notNull().check(sql`severity in ('info', 'warning', 'critical')`))
    .addColumn('service_name', 'text', (column) => column.notNull().check(sql`length(service_name) <= 70000`))
    .addColumn('description', 'text', (column) => column.notNull().check(sql`length(description) between 1 and 10000`))
    .addColumn('details', 'text', (column) => column.notNull().check(sql`length(details) <= 100000`))
    .addColumn('source', 'text', (column) => column.notNull().check(sql`length(source) <= 200`))
    .addColumn('recorded_at_ms', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('events_key', ['grid_id', 'key'])
    .execute()
  await db.schema.createIndex('events_by_time').on('events').columns(['grid_id', 'at_ms']).execute()
  await db.schema.createIndex('events_by_source').on('events').columns(['grid_id', 'source']).execute()
}
