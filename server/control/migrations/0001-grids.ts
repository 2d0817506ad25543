import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('grids')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('name', 'text', (column) => column.notNull().check(sql`length(name) between 1 and 200`))
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('plan', 'text', (column) => column.notNull().check(sql`length(plan) between 1 and 100`))
    .addColumn('subscription_state', 'text', (column) =>
      column.notNull().check(sql`subscription_state in ('active', 'trial', 'suspended', 'expired')`),
    )
    .addColumn('raw_retention_days', 'integer', (column) =>
      column.notNull().check(sql`raw_retention_days between 1 and 3650`),
    )
    .addColumn('aggregate_retention_days', 'integer', (column) =>
      column.notNull().check(sql`aggregate_retention_days between 1 and 3650`),
    )
    .addColumn('rate_limit_caller', 'integer', (column) =>
      column.check(sql`rate_limit_caller between 1 and 1000000000`),
    )
    .addColumn('rate_limit_grid', 'integer', (column) => column.check(sql`rate_limit_grid between 1 and 1000000000`))
    .addColumn('ingest_quota', 'integer', (column) => column.check(sql`ingest_quota between 1 and 1000000000`))
    .addColumn('apdex', 'text', (column) => column.notNull().check(sql`length(apdex) between 2 and 1000000`))
    .addCheckConstraint(
      'grids_id_is_a_uuid',
      sql`length(id) = 36 and id = lower(id) and id like '________-____-____-____-____________'`,
    )
    .execute()
}
