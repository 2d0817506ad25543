import { randomUUID } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { ControlStore, Grid, GridSettings, SubscriptionState } from '../control-store.ts'
import { GRID_DEFAULTS } from '../grid-defaults.ts'
import type { ControlTables } from '../tables.ts'
import { defaultRuleRows } from './alert-rules.ts'
import { translatingConstraints } from './constraint-errors.ts'
import type { ControlDatabase } from './database.ts'
import { addStarterDashboard } from './starter-dashboard.ts'

type GridRow = Selectable<ControlTables['grids']>

export function createGrids(db: ControlDatabase): ControlStore['grids'] {
  return {
    async create({ id, name }) {
      const row: GridRow = {
        id: id?.toLowerCase() ?? randomUUID(),
        created_at_ms: Date.now(),
        ...completeRow({ ...GRID_DEFAULTS, name }),
      }
      const made = db.transaction().execute(async (tx) => {
        await tx.insertInto('grids').values(row).execute()
        await tx.insertInto('alert_rules').values(defaultRuleRows(row.id, row.created_at_ms)).execute()
        await addStarterDashboard(tx, row.id, row.created_at_ms)
      })
      await translatingConstraints(`The Grid ${row.id} already exists.`, made)
      return gridOf(row)
    },

    async find(id) {
      const row = await db.selectFrom('grids').selectAll().where('id', '=', id.toLowerCase()).executeTakeFirst()
      return row && gridOf(row)
    },

    async list() {
      const rows = await db.selectFrom('grids').selectAll().orderBy('created_at_ms').orderBy('id').execute()
      return rows.map(gridOf)
    },

    async update(id, settings) {
      const change = changedColumns(settings)
      if (Object.keys(change).length === 0) return this.find(id)
      const query = db.updateTable('grids').set(change).where('id', '=', id.toLowerCase()).returningAll()
      const row = await translatingConstraints('That name is taken.', query.executeTakeFirst())
      return row && gridOf(row)
    },
  }
}

function completeRow(settings: GridSettings): Omit<GridRow, 'id' | 'created_at_ms'> {
  return {
    name: settings.name,
    plan: settings.plan,
    subscription_state: settings.subscriptionState,
    raw_retention_days: settings.rawRetentionDays,
    aggregate_retention_days: settings.aggregateRetentionDays,
    rate_limit_caller: settings.rateLimitCaller,
    rate_limit_grid: settings.rateLimitGrid,
    ingest_quota: settings.ingestQuota,
    apdex: JSON.stringify(settings.apdex),
  }
}

/** A setting that is not mentioned stays as it is; null is a value. */
function changedColumns(settings: Partial<GridSettings>): Partial<GridRow> {
  const all = completeRow({ ...GRID_DEFAULTS, name: '', ...settings })
  const columns: Record<keyof GridSettings, keyof typeof all> = {
    name: 'name',
    plan: 'plan',
    subscriptionState: 'subscription_state',
    rawRetentionDays: 'raw_retention_days',
    aggregateRetentionDays: 'aggregate_retention_days',
    rateLimitCaller: 'rate_limit_caller',
    rateLimitGrid: 'rate_limit_grid',
    ingestQuota: 'ingest_quota',
    apdex: 'apdex',
  }
  const mentioned = Object.entries(columns).filter(([setting]) => settings[setting as keyof GridSettings] !== undefined)
  return Object.fromEntries(mentioned.map(([, column]) => [column, all[column]]))
}

function gridOf(row: GridRow): Grid {
  return {
    id: row.id,
    name: row.name,
    createdAtMs: row.created_at_ms,
    plan: row.plan,
    subscriptionState: row.subscription_state as SubscriptionState,
    rawRetentionDays: row.raw_retention_days,
    aggregateRetentionDays: row.aggregate_retention_days,
    rateLimitCaller: row.rate_limit_caller,
    rateLimitGrid: row.rate_limit_grid,
    ingestQuota: row.ingest_quota,
    apdex: JSON.parse(row.apdex),
  }
}
