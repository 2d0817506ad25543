import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('members')
    .addColumn('grid_id', 'text', (column) => column.notNull().references('grids.id').onDelete('cascade'))
    .addColumn('subject', 'text', (column) => column.notNull().check(sql`length(subject) between 1 and 255`))
    .addColumn('role', 'text', (column) => column.notNull().check(sql`role in ('Owner', 'Member', 'User', 'Guest')`))
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('members_key', ['grid_id', 'subject'])
    .execute()
  await db.schema.createIndex('members_by_subject').on('members').column('subject').execute()
}
