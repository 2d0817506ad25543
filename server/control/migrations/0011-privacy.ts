import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('privacy_rules')
    .addColumn('number', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('id', 'text', (column) => column.notNull().unique())
    .addColumn('grid_id', 'text', (column) => column.notNull().references('grids.id').onDelete('cascade'))
    .addColumn('name', 'text', (column) => column.notNull().check(sql`length(name) between 1 and 200`))
    .addColumn('key', 'text', (column) => column.check(sql`length(key) between 1 and 200`))
    .addColumn('pattern', 'text', (column) => column.check(sql`length(pattern) between 1 and 500`))
    .addColumn('preset', 'text', (column) => column.check(sql`preset in ('secrets', 'cards', 'emails')`))
    .addColumn('places', 'text', (column) => column.notNull())
    .addColumn('action', 'text', (column) => column.notNull().check(sql`action in ('redact', 'hash')`))
    .addColumn('enabled', 'integer', (column) => column.notNull().check(sql`enabled in (0, 1)`))
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('updated_at_ms', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('privacy_rules_names', ['grid_id', 'name'])
    .execute()
  await db.schema
    .createTable('privacy_secrets')
    .addColumn('grid_id', 'text', (column) => column.primaryKey().notNull().references('grids.id').onDelete('cascade'))
    .addColumn('secret', 'text', (column) => column.notNull())
    .execute()
}
