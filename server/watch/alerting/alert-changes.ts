import type { Alert, AlertChange } from '../../control/alert-store.ts'
import { conditionText } from '../../diagnostics/alerts/condition-text.ts'
import { type AlertState, type Judgement, judgeRule } from '../../diagnostics/alerts/judge-rule.ts'
import type { Look } from '../../diagnostics/alerts/look.ts'
import { hasDataFor, NO_SERIES, type ServiceSeries } from '../../diagnostics/alerts/service-series.ts'
import type { Sighting } from '../../diagnostics/alerts/sightings.ts'
import type { AlertRule } from '../../domain/alert-rule.ts'

const JUDGED_AT_ONCE = 50

interface Judged {
  rules: AlertRule[]
  series: Map<string, ServiceSeries>
  /** When each of these services was last heard of. */
  sightings: ReadonlyMap<string, Sighting>
  unresolved: Alert[]
  look: Look
}

/** What a look changes about the alerts of a Grid. Many services are judged in portions, so that others get their turn. */
export async function alertChanges({ rules, series, sightings, unresolved, look }: Judged): Promise<AlertChange[]> {
  const changes = unresolved.filter(({ ruleId }) => !rules.some(({ id }) => id === ruleId)).map(endOf(look))
  let judged = 0
  for (const rule of rules) {
    const alerts = new Map(
      unresolved.filter(({ ruleId }) => ruleId === rule.id).map((alert) => [alert.serviceName, alert]),
    )
    for (const serviceName of servicesOf(rule, series, alerts.keys())) {
      const alert = alerts.get(serviceName)
      const live = sightings.get(serviceName)?.live ?? true
      const minutes = series.get(serviceName) ?? NO_SERIES
      const judgement = judgeRule(rule, minutes, alert && stateOf(alert), { ...look, live })
      changes.push(...changesOf(rule, serviceName, alert, judgement, look))
      if (++judged % JUDGED_AT_ONCE === 0) await new Promise((resolve) => setImmediate(resolve))
    }
  }
  return changes
}

/** A service that a rule names is judged whether or not anyone has heard of it. */
function servicesOf(rule: AlertRule, series: Map<string, ServiceSeries>, withAlerts: Iterable<string>): Set<string> {
  if (rule.serviceName !== null) return new Set([rule.serviceName])
  const seen = [...series].filter(([, each]) => hasDataFor(rule.metric, each)).map(([serviceName]) => serviceName)
  return new Set([...seen, ...withAlerts])
}

function stateOf({ triggeredAtMs, sinceMs, value, judgedAtMs, recoveringSinceMs }: Alert): AlertState {
  return { firing: triggeredAtMs !== null, sinceMs, value, judgedAtMs, recoveringSinceMs }
}

/** For an alert whose rule went away while it was being judged. */
function endOf({ nowMs }: Look): (alert: Alert) => AlertChange {
  return ({ id, triggeredAtMs, value }) =>
    triggeredAtMs === null
      ? { kind: 'drop', id }
      : { kind: 'resolve', id, resolvedAtMs: nowMs, resolution: 'rule removed', value }
}

function changesOf(
  rule: AlertRule,
  serviceName: string,
  alert: Alert | undefined,
  judgement: Judgement,
  { nowMs }: Look,
): AlertChange[] {
  if (judgement.status === 'quiet') return alert ? [{ kind: 'drop', id: alert.id }] : []
  if (judgement.status === 'resolved') {
    const { resolution, value } = judgement
    return alert ? [{ kind: 'resolve', id: alert.id, resolvedAtMs: nowMs, resolution, value }] : []
  }
  const { sinceMs, value } = judgement
  const triggeredAtMs = judgement.status === 'pending' ? null : (alert?.triggeredAtMs ?? nowMs)
  if (!alert)
    return [{ kind: 'open', rule, condition: conditionText(rule), serviceName, sinceMs, triggeredAtMs, value }]
  const { judgedAtMs, recoveringSinceMs } =
    judgement.status === 'pending' ? { judgedAtMs: nowMs, recoveringSinceMs: null } : judgement
  return [{ kind: 'carry', id: alert.id, sinceMs, triggeredAtMs, value, judgedAtMs, recoveringSinceMs }]
}
