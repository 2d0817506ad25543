import type { Alert, Resolution } from '../../control/alert-store.ts'
import type { GridEvent } from '../../control/control-store.ts'
import { valueText } from '../../diagnostics/alerts/condition-text.ts'

const MS_PER_MINUTE = 60_000

/** What the timeline says of an alert: that it fired, and that it ended. */
export function alertEvents(alert: Alert): GridEvent[] {
  const { id, ruleId, ruleName, metric, condition, severity, serviceName, value, triggeredAtMs, resolvedAtMs } = alert
  if (triggeredAtMs === null) return []
  const subject = serviceName === '' ? ruleName : `${ruleName} in ${serviceName}`
  const details = { alertId: id, ruleId, ruleName, condition }
  const fired: GridEvent = {
    key: `alert/${id}`,
    atMs: triggeredAtMs,
    type: 'alert',
    severity,
    serviceName,
    description: `${subject}: ${condition}, at ${valueText(metric, value)}`,
    details,
  }
  if (resolvedAtMs === null) return [fired]
  const minutes = Math.max(1, Math.round((resolvedAtMs - triggeredAtMs) / MS_PER_MINUTE))
  const reason = alert.resolution === null ? '' : `: ${REASONS[alert.resolution](valueText(metric, value))}`
  const ended: GridEvent = {
    key: `recovery/${id}`,
    atMs: resolvedAtMs,
    type: 'recovery',
    severity: 'info',
    serviceName,
    description: `${subject} resolved after ${minutes} min${reason}`,
    details: { ...details, resolution: alert.resolution ?? '' },
  }
  return [fired, ended]
}

const REASONS: Record<Resolution, (value: string) => string> = {
  recovered: (value) => `back at ${value}`,
  'no data': () => 'there is nothing left to judge by',
  'rule changed': () => 'the rule was changed',
  'rule removed': () => 'the rule was removed',
}
