import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('api_keys')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('grid_id', 'text', (column) => column.notNull().references('grids.id').onDelete('cascade'))
    .addColumn('name', 'text', (column) => column.notNull().check(sql`length(name) between 1 and 200`))
    .addColumn('prefix', 'text', (column) => column.notNull().check(sql`length(prefix) between 1 and 12`))
    .addColumn('secret_hash', 'text', (column) => column.notNull().unique().check(sql`length(secret_hash) = 64`))
    .addColumn('role', 'text', (column) => column.notNull().check(sql`role in ('Owner', 'Member', 'User', 'Guest')`))
    .addColumn('scopes', 'text', (column) => column.notNull().check(sql`length(scopes) between 2 and 100`))
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('expires_at_ms', 'bigint')
    .addColumn('revoked_at_ms', 'bigint')
    .execute()
  await db.schema.createIndex('api_keys_by_grid').on('api_keys').columns(['grid_id', 'created_at_ms']).execute()
}
