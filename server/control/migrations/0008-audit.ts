import { type Kysely, sql } from 'kysely'

/** A Grid that is gone keeps its entries: they tell who removed it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('audit')
    .addColumn('id', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('at_ms', 'bigint', (column) => column.notNull())
    .addColumn('grid_id', 'text')
    .addColumn('caller', 'text', (column) => column.notNull().check(sql`length(caller) <= 1000`))
    .addColumn('action', 'text', (column) => column.notNull().check(sql`length(action) <= 200`))
    .addColumn('target', 'text', (column) => column.notNull().check(sql`length(target) <= 10000`))
    .addColumn('change', 'text', (column) => column.notNull().check(sql`length(change) <= 5000`))
    .execute()
  await db.schema.createIndex('audit_by_time').on('audit').columns(['at_ms']).execute()
  await db.schema.createIndex('audit_by_grid').on('audit').columns(['grid_id', 'at_ms']).execute()
}
