import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('settings')
    .addColumn('key', 'text', (column) => column.primaryKey().notNull().check(sql`length(key) between 1 and 200`))
    .addColumn('value', 'text', (column) => column.notNull().check(sql`length(value) <= 1000000`))
    .execute()
  await db.schema
    .createTable('oidc_payloads')
    .addColumn('model', 'text', (column) => column.notNull().check(sql`length(model) between 1 and 100`))
    .addColumn('id_hash', 'text', (column) => column.notNull().check(sql`length(id_hash) = 64`))
    .addColumn('payload', 'text', (column) => column.notNull().check(sql`length(payload) <= 100000`))
    .addColumn('uid', 'text')
    .addColumn('grant_id', 'text')
    .addColumn('account_id', 'text')
    .addColumn('consumed_at_ms', 'bigint')
    .addColumn('expires_at_ms', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('oidc_payloads_key', ['model', 'id_hash'])
    .execute()
  for (const column of ['uid', 'grant_id', 'account_id', 'expires_at_ms']) {
    await db.schema.createIndex(`oidc_payloads_by_${column}`).on('oidc_payloads').column(column).execute()
  }
}
