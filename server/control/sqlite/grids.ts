import { randomUUID } from 'node:crypto'
import type { Selectable } from 'kysely'
import {
  AlreadyExists,
  type ControlStore,
  type Grid,
  type GridSettings,
  type SubscriptionState,
} from '../control-store.ts'
import { GRID_DEFAULTS } from '../grid-defaults.ts'
import type { ControlTables } from '../tables.ts'
import { defaultRuleRows } from './alert-rules.ts'
import { translatingConstraints } from './constraint-errors.ts'
import type { ControlDatabase } from './database.ts'
import type { KeyCache } from './key-cache.ts'
import { addStarterDashboard } from './starter-dashboard.ts'

type GridRow = Selectable<ControlTables['grids']>

export function createGrids(db: ControlDatabase, keyCache: Pick<KeyCache, 'clear'>): ControlStore['grids'] {
  const removedNow = new Set<string>()
  return {
    async create({ id, name }) {
      const row: GridRow = {
        id: id?.toLowerCase() ?? randomUUID(),
        created_at_ms: Date.now(),
        ...completeRow({ ...GRID_DEFAULTS, name }),
      }
      const made = db.transaction().execute(async (tx) => {
        const removed = tx.selectFrom('removed_grids').select('id').where('id', '=', row.id)
        if (await removed.executeTakeFirst())
          throw new AlreadyExists(`The Grid ${row.id} existed once; its id is not given again.`)
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

    async remove(id, nowMs) {
      const isRemoved = await db.transaction().execute(async (tx) => {
        const { numDeletedRows } = await tx
          .deleteFrom('grids')
          .where('id', '=', id.toLowerCase())
          .executeTakeFirstOrThrow()
        if (numDeletedRows === 0n) return false
        const row = { id: id.toLowerCase(), removed_at_ms: nowMs, telemetry_removed: 0 }
        await tx.insertInto('removed_grids').values(row).execute()
        return true
      })
      keyCache.clear()
      if (isRemoved) removedNow.add(id.toLowerCase())
      return isRemoved
    },

    async removed() {
      const rows = await db.selectFrom('removed_grids').selectAll().orderBy('removed_at_ms').orderBy('id').execute()
      return rows.map((row) => ({ id: row.id, isTelemetryRemoved: row.telemetry_removed === 1 }))
    },

    isRemoved: (id) => removedNow.has(id),

    async noteTelemetryRemoved(id) {
      await db.updateTable('removed_grids').set({ telemetry_removed: 1 }).where('id', '=', id).execute()
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
    disk_share_percent: settings.diskSharePercent,
    records_from_ms: settings.recordsFromMs,
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
    diskSharePercent: 'disk_share_percent',
    recordsFromMs: 'records_from_ms',
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
    diskSharePercent: row.disk_share_percent,
    recordsFromMs: row.records_from_ms,
    rateLimitCaller: row.rate_limit_caller,
    rateLimitGrid: row.rate_limit_grid,
    ingestQuota: row.ingest_quota,
    apdex: JSON.parse(row.apdex),
  }
}
