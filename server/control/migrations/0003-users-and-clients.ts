import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('users')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('email', 'text', (column) =>
      column.notNull().unique().check(sql`length(email) <= 254 and email = lower(email) and email like '_%@_%'`),
    )
    .addColumn('name', 'text', (column) => column.notNull().check(sql`length(name) between 1 and 200`))
    .addColumn('password_hash', 'text', (column) => column.notNull().check(sql`password_hash like '$argon2id$%'`))
    .addColumn('admin', 'integer', (column) => column.notNull().check(sql`admin in (0, 1)`))
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('sign_in_failures')
    .addColumn('email_hash', 'text', (column) => column.primaryKey().notNull())
    .addColumn('failed_at_ms', 'text', (column) => column.notNull().check(sql`length(failed_at_ms) <= 1000`))
    .addColumn('locked_until_ms', 'bigint', (column) => column.notNull())
    .addColumn('forget_at_ms', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('sign_in_failures_by_end').on('sign_in_failures').column('forget_at_ms').execute()
  await db.schema
    .createTable('clients')
    .addColumn('id', 'text', (column) =>
      column.primaryKey().notNull().check(sql`length(id) between 1 and 200 and id not like '%@%'`),
    )
    .addColumn('name', 'text', (column) => column.notNull().check(sql`length(name) between 1 and 200`))
    .addColumn('secret_hash', 'text', (column) => column.notNull().check(sql`length(secret_hash) = 64`))
    .addColumn('admin', 'integer', (column) => column.notNull().check(sql`admin in (0, 1)`))
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .execute()
}
