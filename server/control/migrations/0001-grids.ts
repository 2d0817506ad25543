import { type Kysely, type RawBuilder, sql } from 'kysely'

function wholeUpTo(column: string, max: number): RawBuilder<unknown> {
  const value = sql.ref(column)
  return sql`${value} between 1 and ${sql.lit(max)} and ${value} = cast(${value} as integer)`
}

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
      column.notNull().check(wholeUpTo('raw_retention_days', 3650)),
    )
    .addColumn('aggregate_retention_days', 'integer', (column) =>
      column.notNull().check(wholeUpTo('aggregate_retention_days', 3650)),
    )
    .addColumn('rate_limit_caller', 'integer', (column) => column.check(wholeUpTo('rate_limit_caller', 1000000000)))
    .addColumn('rate_limit_grid', 'integer', (column) => column.check(wholeUpTo('rate_limit_grid', 1000000000)))
    .addColumn('ingest_quota', 'integer', (column) => column.check(wholeUpTo('ingest_quota', 1000000000)))
    .addColumn('apdex', 'text', (column) => column.notNull().check(sql`length(apdex) between 2 and 1000000`))
    .addCheckConstraint(
      'grids_id_is_a_uuid',
      sql`length(id) = 36 and id = lower(id) and id like '________-____-____-____-____________'`,
    )
    .execute()
}
