/** What a rule may judge besides any stored metric, which it names as the metric is called. */
export const RULE_METRICS = [
  'error_rate',
  'p50_latency',
  'p95_latency',
  'p99_latency',
  'apdex',
  'throughput',
  'log_errors',
  'silence',
] as const
export type RuleMetric = (typeof RULE_METRICS)[number]

export const COMPARATORS = ['>', '>=', '<', '<='] as const
export type Comparator = (typeof COMPARATORS)[number]

export const ALERT_SEVERITIES = ['critical', 'warning'] as const
export type AlertSeverity = (typeof ALERT_SEVERITIES)[number]

/** Where there is nothing to judge by, an alert stays as it is, counts as recovered, or as if the condition held. */
export const NO_DATA_CHOICES = ['keep', 'resolve', 'fire'] as const
export type NoDataChoice = (typeof NO_DATA_CHOICES)[number]

export interface AlertRuleSettings {
  name: string
  /** One of `RULE_METRICS`, or the name of a stored metric. */
  metric: string
  comparator: Comparator
  /** In percent, milliseconds, requests a second or minutes of silence, by metric. */
  threshold: number
  /** A firing alert has recovered once its value no longer compares so to this one. */
  recoveryThreshold: number
  /** Null for every service, each judged by itself. */
  serviceName: string | null
  windowMinutes: number
  /** How long the condition must have held in the data. */
  durationMinutes: number
  /** How long a firing alert must have recovered in the data before it is resolved. */
  holdMinutes: number
  minRequests: number
  severity: AlertSeverity
  noData: NoDataChoice
  /** Ids of notification channels. */
  channels: string[]
  enabled: boolean
}

export interface AlertRule extends AlertRuleSettings {
  id: string
  gridId: string
  /** Grows with every change. */
  revision: number
  createdAtMs: number
  updatedAtMs: number
}

export const RULE_LIMITS = {
  rulesPerGridMax: 200,
  nameCharsMax: 200,
  metricCharsMax: 255,
  serviceNameCharsMax: 1024,
  windowMinutesMax: 60,
  durationMinutesMax: 60,
  holdMinutesMax: 60,
  minRequestsMax: 1_000_000,
  channelsMax: 20,
  channelCharsMax: 200,
  thresholdMax: 1e15,
} as const

export const RULE_DEFAULTS = {
  serviceName: null,
  windowMinutes: 5,
  durationMinutes: 2,
  holdMinutes: 2,
  minRequests: 20,
  severity: 'warning',
  noData: 'keep',
  channels: [],
  enabled: true,
} as const satisfies Partial<AlertRuleSettings>

const THRESHOLDS: Record<RuleMetric, { min: number; max: number; unit: string }> = {
  error_rate: { min: 0, max: 100, unit: 'percent' },
  p50_latency: { min: 0, max: 3_600_000, unit: 'milliseconds' },
  p95_latency: { min: 0, max: 3_600_000, unit: 'milliseconds' },
  p99_latency: { min: 0, max: 3_600_000, unit: 'milliseconds' },
  apdex: { min: 0, max: 1, unit: 'points' },
  throughput: { min: 0, max: 1_000_000_000, unit: 'requests a second' },
  log_errors: { min: 0, max: 1_000_000_000, unit: 'records' },
  silence: { min: 1, max: 60, unit: 'minutes' },
}

export function isRuleMetric(metric: string): metric is RuleMetric {
  return (RULE_METRICS as readonly string[]).includes(metric)
}

export function moreIsWorse(comparator: Comparator): boolean {
  return comparator === '>' || comparator === '>='
}

export function compares(value: number, comparator: Comparator, limit: number): boolean {
  switch (comparator) {
    case '>':
      return value > limit
    case '>=':
      return value >= limit
    case '<':
      return value < limit
    case '<=':
      return value <= limit
  }
}

/** What is wrong with the numbers of a rule, in a sentence; undefined where they make sense together. */
export function ruleFaultOf({
  metric,
  comparator,
  threshold,
  recoveryThreshold,
}: AlertRuleSettings): string | undefined {
  const known = isRuleMetric(metric) ? THRESHOLDS[metric] : undefined
  for (const [field, value] of Object.entries({ threshold, recoveryThreshold })) {
    if (known && (value < known.min || value > known.max))
      return `${field} of ${metric} must be ${known.min} to ${known.max} ${known.unit}.`
  }
  if (metric === 'silence' && !moreIsWorse(comparator)) return 'comparator of silence must be one of >, >=.'
  const more = moreIsWorse(comparator)
  if (more ? recoveryThreshold > threshold : recoveryThreshold < threshold)
    return `recoveryThreshold must be at ${more ? 'most' : 'least'} the threshold where the comparator is ${comparator}.`
  return undefined
}
