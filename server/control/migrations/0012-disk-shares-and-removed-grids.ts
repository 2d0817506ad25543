import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('grids')
    .addColumn('disk_share_percent', 'real', (column) =>
      column.check(sql`disk_share_percent > 0 and disk_share_percent <= 100`),
    )
    .execute()
  await db.schema
    .alterTable('grids')
    .addColumn('records_from_ms', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute()
  await createRemovedGrids(db)
}

/** The id of a Grid that is gone is kept for good: nobody gets it again, and with it what is said of the old one. */
async function createRemovedGrids(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('removed_grids')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('removed_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('telemetry_removed', 'integer', (column) => column.notNull().check(sql`telemetry_removed in (0, 1)`))
    .execute()
}
