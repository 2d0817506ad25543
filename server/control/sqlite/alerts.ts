import type { SelectQueryBuilder } from 'kysely'
import type { Alert, AlertFilter, AlertStatus, AlertStore } from '../alert-store.ts'
import type { ControlTables } from '../tables.ts'
import { saveAlertChanges } from './alert-changes.ts'
import { alertAt, alertOf } from './alert-row.ts'
import { createAlertRules } from './alert-rules.ts'
import type { ControlDatabase } from './database.ts'

const LOOKED_AT = 'alerts.looked-at-ms'
const LIMITS = { activeMax: 1000, resolvedPerGridMax: 10_000, untoldMax: 500 }

export function createAlerts(db: ControlDatabase, limits = LIMITS): AlertStore {
  const alertsOf = (gridId: string) => db.selectFrom('alerts').where('grid_id', '=', gridId)

  async function find(gridId: string, id: string): Promise<Alert | undefined> {
    const row = await alertsOf(gridId).selectAll().where('id', '=', id).executeTakeFirst()
    return row && alertOf(row)
  }

  return {
    rules: createAlertRules(db),
    find,
    save: (gridId, changes, nowMs) => saveAlertChanges(db, gridId, changes, nowMs),

    async unresolved(gridId) {
      return (await alertsOf(gridId).selectAll().where('resolved_at_ms', 'is', null).execute()).map(alertOf)
    },

    async activeAt(gridId, atMs) {
      const rows = await alertsOf(gridId)
        .selectAll('alerts')
        .select((eb) =>
          eb
            .selectFrom('alert_values')
            .select('value')
            .whereRef('alert_id', '=', 'alerts.id')
            .where('at_ms', '<=', atMs)
            .orderBy('at_ms', 'desc')
            .limit(1)
            .as('value_then'),
        )
        .where('triggered_at_ms', '<=', atMs)
        .where((eb) => eb.or([eb('resolved_at_ms', 'is', null), eb('resolved_at_ms', '>', atMs)]))
        .orderBy('severity')
        .orderBy('triggered_at_ms', 'desc')
        .orderBy('rule_name')
        .orderBy('service_name')
        .limit(limits.activeMax)
        .execute()
      return rows.map(({ value_then, ...row }) => alertAt(row, value_then, atMs))
    },

    async list(gridId, filter) {
      const matching = filtered(alertsOf(gridId), filter)
      const { count } = await matching.select(({ fn }) => fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
      const rows = await matching
        .selectAll()
        .orderBy(({ fn }) => fn.coalesce('triggered_at_ms', 'since_ms'), 'desc')
        .orderBy('id')
        .limit(filter.limit)
        .offset(filter.offset)
        .execute()
      return { items: rows.map(alertOf), totalCount: count }
    },

    async acknowledge(gridId, id, by, note, nowMs) {
      const result = await db
        .updateTable('alerts')
        .set({ acknowledged_at_ms: nowMs, acknowledged_by: by, acknowledgement_note: note })
        .where('grid_id', '=', gridId)
        .where('id', '=', id)
        .where('triggered_at_ms', 'is not', null)
        .where('resolved_at_ms', 'is', null)
        .where('acknowledged_at_ms', 'is', null)
        .executeTakeFirst()
      const alert = await find(gridId, id)
      return result.numUpdatedRows > 0n || alert?.status === 'acknowledged' ? alert : undefined
    },

    async untold(gridId) {
      const rows = await alertsOf(gridId)
        .selectAll()
        .where('told', '<', 2)
        .where('triggered_at_ms', 'is not', null)
        .where((eb) => eb.or([eb('told', '=', 0), eb('resolved_at_ms', 'is not', null)]))
        .orderBy('triggered_at_ms')
        .limit(limits.untoldMax)
        .execute()
      return rows.map(alertOf)
    },

    async told(alerts) {
      await db.transaction().execute(async (tx) => {
        for (const { id, status } of alerts) {
          const told = status === 'resolved' ? 2 : 1
          await tx.updateTable('alerts').set({ told }).where('id', '=', id).execute()
        }
      })
    },

    async prune(gridId, resolvedBeforeMs) {
      const old = db.deleteFrom('alerts').where('grid_id', '=', gridId).where('resolved_at_ms', '<', resolvedBeforeMs)
      await old.execute()
      const kept = alertsOf(gridId)
        .select('id')
        .where('resolved_at_ms', 'is not', null)
        .orderBy('resolved_at_ms', 'desc')
        .limit(limits.resolvedPerGridMax)
      const rest = db.deleteFrom('alerts').where('grid_id', '=', gridId).where('resolved_at_ms', 'is not', null)
      await rest.where('id', 'not in', kept).execute()
    },

    async lookedAtMs() {
      const row = await db.selectFrom('settings').select('value').where('key', '=', LOOKED_AT).executeTakeFirst()
      return row && Number(row.value)
    },

    async noteLook(nowMs) {
      const value = String(nowMs)
      const query = db.insertInto('settings').values({ key: LOOKED_AT, value })
      await query.onConflict((conflict) => conflict.column('key').doUpdateSet({ value })).execute()
    },
  }
}

type Alerts<O> = SelectQueryBuilder<ControlTables, 'alerts', O>

function filtered<O>(alerts: Alerts<O>, { status, serviceName, ruleId }: AlertFilter): Alerts<O> {
  let query = withStatus(alerts, status)
  if (serviceName !== undefined) query = query.where('service_name', '=', serviceName)
  if (ruleId !== undefined) query = query.where('rule_id', '=', ruleId)
  return query
}

function withStatus<O>(alerts: Alerts<O>, status: AlertStatus | 'active' | undefined): Alerts<O> {
  if (status === 'pending') return alerts.where('triggered_at_ms', 'is', null)
  const fired = alerts.where('triggered_at_ms', 'is not', null)
  if (status === undefined) return fired
  if (status === 'resolved') return fired.where('resolved_at_ms', 'is not', null)
  const active = fired.where('resolved_at_ms', 'is', null)
  if (status === 'active') return active
  return active.where('acknowledged_at_ms', status === 'firing' ? 'is' : 'is not', null)
}
