import { type AlertRuleSettings, RULE_DEFAULTS } from './alert-rule.ts'

type Chosen = Pick<AlertRuleSettings, 'name' | 'metric' | 'comparator' | 'threshold' | 'durationMinutes' | 'severity'>

const CHOSEN: Chosen[] = [
  {
    name: 'High Error Rate',
    metric: 'error_rate',
    comparator: '>',
    threshold: 5,
    durationMinutes: 2,
    severity: 'critical',
  },
  {
    name: 'Elevated Latency',
    metric: 'p95_latency',
    comparator: '>',
    threshold: 2000,
    durationMinutes: 2,
    severity: 'warning',
  },
  { name: 'Low Apdex', metric: 'apdex', comparator: '<', threshold: 0.5, durationMinutes: 5, severity: 'warning' },
  {
    name: 'Service Silent',
    metric: 'silence',
    comparator: '>=',
    threshold: 5,
    durationMinutes: 0,
    severity: 'warning',
  },
]

/** The rules of every new Grid, each for every service. */
export const DEFAULT_ALERT_RULES: readonly AlertRuleSettings[] = CHOSEN.map((chosen) => ({
  ...RULE_DEFAULTS,
  channels: [],
  recoveryThreshold: chosen.threshold,
  ...chosen,
}))
