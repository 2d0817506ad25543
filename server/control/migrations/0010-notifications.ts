import { type Kysely, sql } from 'kysely'

export async function up(db: Kysely<unknown>): Promise<void> {
  await createChannels(db)
  await createDeliveries(db)
  await createSilences(db)
  await addToAlerts(db)
}

async function createChannels(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('channels')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('grid_id', 'text', (column) => column.notNull().references('grids.id').onDelete('cascade'))
    .addColumn('name', 'text', (column) => column.notNull().check(sql`length(name) between 1 and 200`))
    .addColumn('target', 'text', (column) => column.notNull().check(sql`length(target) <= 20000`))
    .addColumn('secret', 'text', (column) => column.notNull().check(sql`length(secret) <= 2000`))
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('updated_at_ms', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('channels_names', ['grid_id', 'name'])
    .execute()
}

async function createDeliveries(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('deliveries')
    .addColumn('number', 'integer', (column) => column.primaryKey().autoIncrement())
    .addColumn('id', 'text', (column) => column.notNull().unique())
    .addColumn('channel_id', 'text', (column) => column.notNull().references('channels.id').onDelete('cascade'))
    .addColumn('kind', 'text', (column) => column.notNull().check(sql`kind in ('alerts', 'test')`))
    .addColumn('state', 'text', (column) => column.notNull().check(sql`state in ('waiting', 'delivered', 'given up')`))
    .addColumn('alerts', 'text', (column) => column.notNull())
    .addColumn('alert_count', 'integer', (column) => column.notNull())
    .addColumn('message', 'text')
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('last_attempt_at_ms', 'bigint')
    .addColumn('next_attempt_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('delivered_at_ms', 'bigint')
    .addColumn('status_code', 'integer')
    .addColumn('error', 'text', (column) => column.notNull().check(sql`length(error) <= 500`))
    .execute()
  await db.schema.createIndex('deliveries_of_channel').on('deliveries').columns(['channel_id', 'number']).execute()
  await sql`create index deliveries_waiting on deliveries (channel_id, number) where state = 'waiting'`.execute(db)
}

async function createSilences(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('silences')
    .addColumn('id', 'text', (column) => column.primaryKey().notNull())
    .addColumn('grid_id', 'text', (column) => column.notNull().references('grids.id').onDelete('cascade'))
    .addColumn('rule_id', 'text', (column) => column.check(sql`length(rule_id) <= 200`))
    .addColumn('service_name', 'text', (column) => column.check(sql`length(service_name) <= 1024`))
    .addColumn('reason', 'text', (column) => column.notNull().check(sql`length(reason) <= 2000`))
    .addColumn('created_by', 'text', (column) => column.notNull())
    .addColumn('starts_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('ends_at_ms', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('silences_by_end').on('silences').columns(['grid_id', 'ends_at_ms']).execute()
}

interface EarlierTables {
  alerts: { notified: number; resolved_at_ms: number | null; triggered_at_ms: number | null }
  alert_rules: { channels: string }
}

/** There were no channels yet, so that no rule can name one, and nobody is told late of what fired before. */
async function addToAlerts(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('alerts')
    .addColumn('notified', 'integer', (column) => column.notNull().defaultTo(0).check(sql`notified in (0, 1, 2)`))
    .execute()
  await db.schema
    .alterTable('alerts')
    .addColumn('notified_channels', 'text', (column) => column.notNull().defaultTo('[]'))
    .execute()
  await sql`create index alerts_unnotified on alerts (grid_id, notified) where notified < 2`.execute(db)
  const earlier = db as Kysely<EarlierTables>
  await earlier.updateTable('alerts').set({ notified: 2 }).where('resolved_at_ms', 'is not', null).execute()
  const firing = earlier.updateTable('alerts').set({ notified: 1 }).where('resolved_at_ms', 'is', null)
  await firing.where('triggered_at_ms', 'is not', null).execute()
  await earlier.updateTable('alert_rules').set({ channels: '[]' }).execute()
}
