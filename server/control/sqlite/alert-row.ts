import type { Selectable } from 'kysely'
import type { AlertSeverity } from '../../domain/alert-rule.ts'
import type { Alert, AlertStatus, Resolution } from '../alert-store.ts'
import type { ControlTables } from '../tables.ts'

export type AlertRow = Selectable<ControlTables['alerts']>

export function alertOf(row: AlertRow): Alert {
  return {
    id: row.id,
    gridId: row.grid_id,
    ruleId: row.rule_id,
    ruleName: row.rule_name,
    metric: row.metric,
    condition: row.condition,
    severity: row.severity as AlertSeverity,
    serviceName: row.service_name,
    status: statusOf(row),
    sinceMs: row.since_ms,
    triggeredAtMs: row.triggered_at_ms,
    value: row.value,
    judgedAtMs: row.judged_at_ms,
    recoveringSinceMs: row.recovering_since_ms,
    acknowledgedAtMs: row.acknowledged_at_ms,
    acknowledgedBy: row.acknowledged_by,
    acknowledgementNote: row.acknowledgement_note,
    resolvedAtMs: row.resolved_at_ms,
    resolution: row.resolution as Resolution | null,
  }
}

/** The alert as it was at a moment at which it was firing. */
export function alertAt(row: AlertRow, valueThen: number | null, atMs: number): Alert {
  const acknowledged = row.acknowledged_at_ms !== null && row.acknowledged_at_ms <= atMs
  const isNewest = row.resolved_at_ms === null && row.judged_at_ms <= atMs
  return alertOf({
    ...row,
    value: isNewest ? row.value : (valueThen ?? row.value),
    resolved_at_ms: null,
    resolution: null,
    ...(acknowledged ? {} : { acknowledged_at_ms: null, acknowledged_by: '', acknowledgement_note: '' }),
  })
}

function statusOf(row: AlertRow): AlertStatus {
  if (row.resolved_at_ms !== null) return 'resolved'
  if (row.triggered_at_ms === null) return 'pending'
  return row.acknowledged_at_ms === null ? 'firing' : 'acknowledged'
}
