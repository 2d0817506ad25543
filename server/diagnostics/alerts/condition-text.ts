import { type AlertRuleSettings, isRuleMetric, type RuleMetric } from '../../domain/alert-rule.ts'

const UNITS: Record<RuleMetric, string> = {
  error_rate: '%',
  p50_latency: 'ms',
  p95_latency: 'ms',
  p99_latency: 'ms',
  apdex: '',
  throughput: '/s',
  log_errors: '',
  silence: 'm',
}

/** `error_rate > 5%` */
export function conditionText({ metric, comparator, threshold }: AlertRuleSettings): string {
  return `${metric} ${comparator} ${threshold}${unitOf(metric)}`
}

/** `12.5%` */
export function valueText(metric: string, value: number): string {
  return `${shownValue(metric, value)}${unitOf(metric)}`
}

/** At most two decimals, and four for a rate per second. */
export function shownValue(metric: string, value: number): number {
  const scale = metric === 'throughput' ? 10_000 : 100
  const shown = Math.round(value * scale) / scale
  return Number.isFinite(shown) ? shown : value
}

function unitOf(metric: string): string {
  return isRuleMetric(metric) ? UNITS[metric] : ''
}
