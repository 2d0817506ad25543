import { randomUUID } from 'node:crypto'
import { type Kysely, type RawBuilder, sql } from 'kysely'

function wholeFrom(column: string, min: number, max: number): RawBuilder<unknown> {
  const value = sql.ref(column)
  return sql`${value} between ${sql.lit(min)} and ${sql.lit(max)} and ${value} = cast(${value} as integer)`
}

export async function up(db: Kysely<unknown>): Promise<void> {
  await createRules(db)
  await createAlerts(db)
  await addFirstRules(db as Kysely<FirstTables>)
}

async function createRules(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('alert_rules')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('grid_id', 'text', (column) => column.notNull().references('grids.id').onDelete('cascade'))
    .addColumn('name', 'text', (column) => column.notNull().check(sql`length(name) between 1 and 200`))
    .addColumn('metric', 'text', (column) => column.notNull().check(sql`length(metric) between 1 and 255`))
    .addColumn('comparator', 'text', (column) => column.notNull().check(sql`comparator in ('>', '>=', '<', '<=')`))
    .addColumn('threshold', 'double precision', (column) => column.notNull())
    .addColumn('recovery_threshold', 'double precision', (column) => column.notNull())
    .addColumn('service_name', 'text', (column) => column.check(sql`length(service_name) between 1 and 1024`))
    .addColumn('window_minutes', 'integer', (column) => column.notNull().check(wholeFrom('window_minutes', 1, 60)))
    .addColumn('duration_minutes', 'integer', (column) => column.notNull().check(wholeFrom('duration_minutes', 0, 60)))
    .addColumn('hold_minutes', 'integer', (column) => column.notNull().check(wholeFrom('hold_minutes', 1, 60)))
    .addColumn('min_requests', 'integer', (column) => column.notNull().check(wholeFrom('min_requests', 1, 1000000)))
    .addColumn('severity', 'text', (column) => column.notNull().check(sql`severity in ('critical', 'warning')`))
    .addColumn('no_data', 'text', (column) => column.notNull().check(sql`no_data in ('keep', 'resolve', 'fire')`))
    .addColumn('channels', 'text', (column) => column.notNull().check(sql`length(channels) between 2 and 10000`))
    .addColumn('enabled', 'integer', (column) => column.notNull().check(sql`enabled in (0, 1)`))
    .addColumn('revision', 'integer', (column) => column.notNull())
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('updated_at_ms', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('alert_rules_names', ['grid_id', 'name'])
    .execute()
}

/** An alert outlives its rule, so that it does not refer to it. */
async function createAlerts(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('alerts')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('grid_id', 'text', (column) => column.notNull().references('grids.id').onDelete('cascade'))
    .addColumn('rule_id', 'text', (column) => column.notNull())
    .addColumn('rule_name', 'text', (column) => column.notNull())
    .addColumn('metric', 'text', (column) => column.notNull())
    .addColumn('condition', 'text', (column) => column.notNull())
    .addColumn('severity', 'text', (column) => column.notNull().check(sql`severity in ('critical', 'warning')`))
    .addColumn('service_name', 'text', (column) => column.notNull())
    .addColumn('since_ms', 'bigint', (column) => column.notNull())
    .addColumn('triggered_at_ms', 'bigint')
    .addColumn('value', 'double precision', (column) => column.notNull())
    .addColumn('judged_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('recovering_since_ms', 'bigint')
    .addColumn('acknowledged_at_ms', 'bigint')
    .addColumn('acknowledged_by', 'text', (column) => column.notNull())
    .addColumn('acknowledgement_note', 'text', (column) =>
      column.notNull().check(sql`length(acknowledgement_note) <= 2000`),
    )
    .addColumn('resolved_at_ms', 'bigint')
    .addColumn('resolution', 'text')
    .addColumn('told', 'integer', (column) => column.notNull().check(sql`told in (0, 1, 2)`))
    .execute()
  await db.schema
    .createTable('alert_values')
    .addColumn('alert_id', 'text', (column) => column.notNull().references('alerts.id').onDelete('cascade'))
    .addColumn('at_ms', 'bigint', (column) => column.notNull())
    .addColumn('value', 'double precision', (column) => column.notNull())
    .addPrimaryKeyConstraint('alert_values_key', ['alert_id', 'at_ms'])
    .execute()
  // Of one rule and service, one alert at a time.
  await sql`create unique index alerts_unresolved on alerts (grid_id, rule_id, service_name) where resolved_at_ms is null`.execute(
    db,
  )
  await sql`create index alerts_untold on alerts (grid_id) where told < 2`.execute(db)
  await db.schema.createIndex('alerts_by_trigger').on('alerts').columns(['grid_id', 'triggered_at_ms']).execute()
  await db.schema.createIndex('alerts_by_end').on('alerts').columns(['grid_id', 'resolved_at_ms']).execute()
}

interface FirstTables {
  grids: { id: string }
  alert_rules: Record<string, string | number | null>
}

/** The rules that new Grids had when rules came, for those that were there before. */
const FIRST_RULES = [
  ['High Error Rate', 'error_rate', '>', 5, 2, 'critical'],
  ['Elevated Latency', 'p95_latency', '>', 2000, 2, 'warning'],
  ['Low Apdex', 'apdex', '<', 0.5, 5, 'warning'],
  ['Service Silent', 'silence', '>=', 5, 0, 'warning'],
] as const

async function addFirstRules(db: Kysely<FirstTables>): Promise<void> {
  const nowMs = Date.now()
  for (const { id } of await db.selectFrom('grids').select('id').execute()) {
    const rows = FIRST_RULES.map(([name, metric, comparator, threshold, durationMinutes, severity]) => ({
      id: randomUUID(),
      grid_id: id,
      name,
      metric,
      comparator,
      threshold,
      recovery_threshold: threshold,
      service_name: null,
      window_minutes: 5,
      duration_minutes: durationMinutes,
      hold_minutes: 2,
      min_requests: 20,
      severity,
      no_data: 'keep',
      channels: '[]',
      enabled: 1,
      revision: 1,
      created_at_ms: nowMs,
      updated_at_ms: nowMs,
    }))
    await db.insertInto('alert_rules').values(rows).execute()
  }
}
