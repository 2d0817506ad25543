import { type AlertRuleSettings, isRuleMetric } from '../../domain/alert-rule.ts'
import { SILENCE_BASE_MINUTES } from './rule-values.ts'

/** For the minute under way, one at the far end, and one for what takes a moment to come in. */
const MARGIN_MINUTES = 3

/** How many minutes back the rules look, by what they look at; 0 where none does. */
export interface RuleNeeds {
  requestMinutes: number
  latencyMinutes: number
  logMinutes: number
  metricMinutes: number
  metricNames: string[]
}

export function needsOf(rules: AlertRuleSettings[]): RuleNeeds {
  const longest = (wanted: (rule: AlertRuleSettings) => boolean) =>
    rules.filter(wanted).reduce((most, rule) => Math.max(most, minutesOf(rule)), 0)
  const isStored = ({ metric }: AlertRuleSettings) => !isRuleMetric(metric)
  const isLatency = ({ metric }: AlertRuleSettings) => isRuleMetric(metric) && metric.endsWith('_latency')
  const isLogs = ({ metric }: AlertRuleSettings) => metric === 'log_errors'
  return {
    requestMinutes: longest((rule) => !isStored(rule) && !isLogs(rule)),
    latencyMinutes: longest(isLatency),
    logMinutes: longest(isLogs),
    metricMinutes: longest(isStored),
    metricNames: [...new Set(rules.filter(isStored).map(({ metric }) => metric))].sort(),
  }
}

function minutesOf({ metric, windowMinutes, threshold, durationMinutes, holdMinutes }: AlertRuleSettings): number {
  const back = Math.max(durationMinutes, holdMinutes) + MARGIN_MINUTES
  if (metric === 'silence') return SILENCE_BASE_MINUTES + Math.ceil(threshold) + back
  // Long enough to tell a service that has just begun from one that nearly stopped.
  if (metric === 'throughput') return Math.max(windowMinutes + back, SILENCE_BASE_MINUTES)
  return windowMinutes + back
}
