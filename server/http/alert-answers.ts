import type { Static } from 'typebox'
import type { Alert } from '../control/alert-store.ts'
import { conditionText, shownValue } from '../diagnostics/alerts/condition-text.ts'
import { type AlertRule, type AlertRuleSettings, RULE_DEFAULTS } from '../domain/alert-rule.ts'
import type * as schemas from './schemas/alerts.ts'
import type * as diagnostics from './schemas/diagnostics/alerts.ts'

export function ruleAnswer(rule: AlertRule): Static<typeof schemas.rule> {
  const { gridId, revision, createdAtMs, updatedAtMs, ...settings } = rule
  return {
    ...settings,
    condition: conditionText(rule),
    createdAt: isoOfMs(createdAtMs),
    updatedAt: isoOfMs(updatedAtMs),
  }
}

/** What was left out of a rule has its default. */
export function ruleSettingsOf(body: Static<typeof schemas.newRule>): AlertRuleSettings {
  return {
    ...RULE_DEFAULTS,
    channels: [],
    recoveryThreshold: body.threshold,
    ...body,
    durationMinutes: body.durationMinutes ?? (body.metric === 'silence' ? 0 : RULE_DEFAULTS.durationMinutes),
  }
}

export function alertAnswer(alert: Alert): Static<typeof schemas.alert> {
  return {
    id: alert.id,
    ruleId: alert.ruleId,
    ruleName: alert.ruleName,
    severity: alert.severity,
    serviceName: alert.serviceName,
    condition: alert.condition,
    currentValue: shownValue(alert.metric, alert.value),
    status: alert.status,
    since: isoOfMs(alert.sinceMs),
    triggeredAt: isoOrNull(alert.triggeredAtMs),
    acknowledgedAt: isoOrNull(alert.acknowledgedAtMs),
    acknowledgedBy: alert.acknowledgedBy,
    acknowledgementNote: alert.acknowledgementNote,
    resolvedAt: isoOrNull(alert.resolvedAtMs),
    resolution: alert.resolution,
  }
}

type ActiveAlert = Static<typeof diagnostics.activeAlerts>['alerts'][number]

/** As Diagnostics shows an alert that has fired. */
export function activeAlertAnswer(alert: Alert): ActiveAlert {
  return {
    id: alert.id,
    ruleName: alert.ruleName,
    severity: alert.severity,
    serviceName: alert.serviceName,
    condition: alert.condition,
    currentValue: shownValue(alert.metric, alert.value),
    triggeredAt: isoOfMs(alert.triggeredAtMs ?? alert.sinceMs),
    status: alert.acknowledgedAtMs === null ? 'firing' : 'acknowledged',
  }
}

function isoOfMs(ms: number): string {
  return new Date(ms).toISOString()
}

function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : isoOfMs(ms)
}
