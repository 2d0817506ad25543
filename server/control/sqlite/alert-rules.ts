import { randomUUID } from 'node:crypto'
import type { Selectable, Transaction } from 'kysely'
import {
  type AlertRule,
  type AlertRuleSettings,
  type AlertSeverity,
  type Comparator,
  type NoDataChoice,
  RULE_LIMITS,
  ruleFaultOf,
} from '../../domain/alert-rule.ts'
import { DEFAULT_ALERT_RULES } from '../../domain/default-alert-rules.ts'
import type { AlertRuleStore, Resolution } from '../alert-store.ts'
import { RecordRefused } from '../record-refused.ts'
import type { ControlTables } from '../tables.ts'
import { putNotifications } from './alert-notifications.ts'
import { translatingConstraints } from './constraint-errors.ts'
import type { ControlDatabase } from './database.ts'

type RuleRow = Selectable<ControlTables['alert_rules']>

export function createAlertRules(db: ControlDatabase): AlertRuleStore {
  const rowsOf = (gridId: string) => db.selectFrom('alert_rules').selectAll().where('grid_id', '=', gridId)

  return {
    async create(gridId, settings) {
      refuseFault(settings)
      const row = newRow(gridId, settings, Date.now())
      const made = db.transaction().execute(async (tx) => {
        await refuseTooMany(tx, gridId)
        await tx.insertInto('alert_rules').values(row).execute()
      })
      await translatingConstraints(takenBy(settings.name), made)
      return ruleOf(row)
    },

    async find(gridId, id) {
      const row = await rowsOf(gridId).where('id', '=', id).executeTakeFirst()
      return row && ruleOf(row)
    },

    async list(gridId) {
      return (await rowsOf(gridId).orderBy('name').execute()).map(ruleOf)
    },

    async update(gridId, id, settings, nowMs) {
      refuseFault(settings)
      const changed = db.transaction().execute(async (tx) => {
        const query = tx.selectFrom('alert_rules').selectAll().where('grid_id', '=', gridId).where('id', '=', id)
        const before = await query.executeTakeFirst()
        if (before === undefined) return undefined
        const after: RuleRow = {
          ...before,
          ...settingsRow(settings),
          revision: before.revision + 1,
          updated_at_ms: nowMs,
        }
        await tx.updateTable('alert_rules').set(after).where('id', '=', id).execute()
        if (judgesOtherwise(before, after)) await endAlertsOf(tx, gridId, id, 'rule changed', nowMs)
        return ruleOf(after)
      })
      return translatingConstraints(takenBy(settings.name), changed)
    },

    async remove(gridId, id, nowMs) {
      return db.transaction().execute(async (tx) => {
        const rule = tx.deleteFrom('alert_rules').where('grid_id', '=', gridId).where('id', '=', id)
        if ((await rule.executeTakeFirst()).numDeletedRows === 0n) return false
        await endAlertsOf(tx, gridId, id, 'rule removed', nowMs)
        return true
      })
    },
  }
}

export function defaultRuleRows(gridId: string, nowMs: number): RuleRow[] {
  return DEFAULT_ALERT_RULES.map((settings) => newRow(gridId, settings, nowMs))
}

function takenBy(name: string): string {
  return `There is already a rule called ${name}.`
}

function refuseFault(settings: AlertRuleSettings): void {
  const fault = ruleFaultOf(settings)
  if (fault !== undefined) throw new RecordRefused(fault)
}

async function refuseTooMany(tx: Transaction<ControlTables>, gridId: string): Promise<void> {
  const { rulesPerGridMax } = RULE_LIMITS
  const query = tx.selectFrom('alert_rules').select(({ fn }) => fn.countAll<number>().as('count'))
  const { count } = await query.where('grid_id', '=', gridId).executeTakeFirstOrThrow()
  if (count >= rulesPerGridMax) throw new RecordRefused(`A Grid may have at most ${rulesPerGridMax} alert rules.`)
}

/** Whether its alerts would say something of the rule that is no longer so. */
function judgesOtherwise(before: RuleRow, after: RuleRow): boolean {
  const columns = ['metric', 'comparator', 'threshold', 'service_name'] as const
  return after.enabled === 0 || columns.some((column) => before[column] !== after[column])
}

async function endAlertsOf(
  tx: Transaction<ControlTables>,
  gridId: string,
  ruleId: string,
  resolution: Resolution,
  nowMs: number,
): Promise<void> {
  const pending = tx.deleteFrom('alerts').where('grid_id', '=', gridId).where('rule_id', '=', ruleId)
  await pending.where('triggered_at_ms', 'is', null).execute()
  const firing = tx.updateTable('alerts').set({ resolved_at_ms: nowMs, resolution, recovering_since_ms: null })
  await firing.where('grid_id', '=', gridId).where('rule_id', '=', ruleId).where('resolved_at_ms', 'is', null).execute()
  await putNotifications(tx, gridId, nowMs)
}

function newRow(gridId: string, settings: AlertRuleSettings, nowMs: number): RuleRow {
  return {
    id: randomUUID(),
    grid_id: gridId,
    ...settingsRow(settings),
    revision: 1,
    created_at_ms: nowMs,
    updated_at_ms: nowMs,
  }
}

type SettingsRow = Omit<RuleRow, 'id' | 'grid_id' | 'revision' | 'created_at_ms' | 'updated_at_ms'>

function settingsRow(settings: AlertRuleSettings): SettingsRow {
  return {
    name: settings.name,
    metric: settings.metric,
    comparator: settings.comparator,
    threshold: settings.threshold,
    recovery_threshold: settings.recoveryThreshold,
    service_name: settings.serviceName,
    window_minutes: settings.windowMinutes,
    duration_minutes: settings.durationMinutes,
    hold_minutes: settings.holdMinutes,
    min_requests: settings.minRequests,
    severity: settings.severity,
    no_data: settings.noData,
    channels: JSON.stringify(settings.channels),
    enabled: settings.enabled ? 1 : 0,
  }
}

function ruleOf(row: RuleRow): AlertRule {
  return {
    id: row.id,
    gridId: row.grid_id,
    name: row.name,
    metric: row.metric,
    comparator: row.comparator as Comparator,
    threshold: row.threshold,
    recoveryThreshold: row.recovery_threshold,
    serviceName: row.service_name,
    windowMinutes: row.window_minutes,
    durationMinutes: row.duration_minutes,
    holdMinutes: row.hold_minutes,
    minRequests: row.min_requests,
    severity: row.severity as AlertSeverity,
    noData: row.no_data as NoDataChoice,
    channels: JSON.parse(row.channels),
    enabled: row.enabled === 1,
    revision: row.revision,
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
  }
}
