import Type from 'typebox'
import { ALERT_STATUSES, RESOLUTIONS } from '../../control/alert-store.ts'
import { ALERT_SEVERITIES, COMPARATORS, NO_DATA_CHOICES, RULE_DEFAULTS, RULE_LIMITS } from '../../domain/alert-rule.ts'
import { pageOf, paging } from './paging.ts'
import { datetimeOut, fields, integer, name, orNull, text } from './values.ts'

const { thresholdMax } = RULE_LIMITS

const number = (description: string) =>
  Type.Number({
    description,
    minimum: -thresholdMax,
    maximum: thresholdMax,
    'x-accepts': `a number of ${-thresholdMax} to ${thresholdMax}`,
  })

const withDefault = (description: string, value: string | number | boolean) => `${description} By default ${value}.`

const required = {
  name: name('What the rule is called; no other rule of the Grid is.', RULE_LIMITS.nameCharsMax),
  metric: name(
    '`error_rate` (percent), `p50_latency`, `p95_latency`, `p99_latency` (milliseconds), `apdex`, `throughput` (requests a second), `log_errors` (log records of severity ERROR or above in the window), `silence` (minutes without a request), or the name of a stored metric. Of a stored metric, a gauge or a sum that may fall is its average over the window, in the series where that is worst; a sum that only grows is its growth per second, all series together; a histogram or summary is the average of what was recorded in the window.',
    RULE_LIMITS.metricCharsMax,
  ),
  comparator: Type.Enum(COMPARATORS),
  threshold: number(
    'What the metric is compared with: 0 to 100 for `error_rate`, 0 to 1 for `apdex`, 1 to 60 minutes for `silence`.',
  ),
}

const optional = {
  recoveryThreshold: number(
    'A firing alert has recovered once its value no longer compares so to this one. On the good side of the threshold; by default the threshold itself.',
  ),
  serviceName: orNull(
    name('The one service to judge; null, the default, for every service by itself.', RULE_LIMITS.serviceNameCharsMax),
  ),
  windowMinutes: integer(
    withDefault(
      'Over how many whole minutes the metric is taken; the minute under way counts as well. `silence` has no window.',
      RULE_DEFAULTS.windowMinutes,
    ),
    1,
    RULE_LIMITS.windowMinutesMax,
  ),
  durationMinutes: integer(
    withDefault(
      'How long the condition must have held in the data before the alert fires.',
      `${RULE_DEFAULTS.durationMinutes}, and 0 for \`silence\``,
    ),
    0,
    RULE_LIMITS.durationMinutesMax,
  ),
  holdMinutes: integer(
    withDefault(
      'How long a firing alert must have recovered in the data before it is resolved.',
      RULE_DEFAULTS.holdMinutes,
    ),
    1,
    RULE_LIMITS.holdMinutesMax,
  ),
  minRequests: integer(
    withDefault(
      'With fewer requests in the window nothing is judged by error rate, latency or apdex; `silence` needs so many in the hour before it began.',
      RULE_DEFAULTS.minRequests,
    ),
    1,
    RULE_LIMITS.minRequestsMax,
  ),
  severity: Type.Enum(ALERT_SEVERITIES, { description: `By default ${RULE_DEFAULTS.severity}.` }),
  noData: Type.Enum(NO_DATA_CHOICES, {
    description: `Where there is nothing to judge by: \`keep\` leaves an alert as it is (for a day at most, then it is resolved), \`resolve\` takes it for recovered, \`fire\` for bad. By default ${RULE_DEFAULTS.noData}. Too few requests are no data to \`resolve\`, and leave everything as it is otherwise. No log record is no error: \`log_errors\` is 0 then.`,
  }),
  channels: Type.Array(name('A notification channel, by id.', RULE_LIMITS.channelCharsMax), {
    description: 'Whom to notify. By default nobody.',
    maxItems: RULE_LIMITS.channelsMax,
    uniqueItems: true,
  }),
  enabled: Type.Boolean({ description: withDefault('Whether it is judged at all.', RULE_DEFAULTS.enabled) }),
}

export const newRule = fields({
  ...required,
  recoveryThreshold: Type.Optional(optional.recoveryThreshold),
  serviceName: Type.Optional(optional.serviceName),
  windowMinutes: Type.Optional(optional.windowMinutes),
  durationMinutes: Type.Optional(optional.durationMinutes),
  holdMinutes: Type.Optional(optional.holdMinutes),
  minRequests: Type.Optional(optional.minRequests),
  severity: Type.Optional(optional.severity),
  noData: Type.Optional(optional.noData),
  channels: Type.Optional(optional.channels),
  enabled: Type.Optional(optional.enabled),
})

export const rule = fields({
  id: Type.String(),
  ...required,
  condition: Type.String({ description: 'The condition in words.', examples: ['error_rate > 5%'] }),
  ...optional,
  createdAt: datetimeOut(),
  updatedAt: datetimeOut(),
})

export const ruleId = name('An alert rule, by its id.')
export const alertId = name('An alert, by its id.')

export const alert = fields({
  id: Type.String({ description: 'Names this firing; the next one of the same rule has another id.' }),
  ruleId: Type.String(),
  ruleName: Type.String({ examples: ['High Error Rate'] }),
  severity: Type.Enum(ALERT_SEVERITIES),
  serviceName: Type.String({ examples: ['checkout'] }),
  condition: Type.String({ examples: ['error_rate > 5%'] }),
  currentValue: Type.Number({ description: 'The last one that was judged.', examples: [12.5] }),
  status: Type.Enum(ALERT_STATUSES),
  since: datetimeOut('Since when the condition held, by the time of the data.'),
  triggeredAt: orNull(datetimeOut('When it began to fire; null while it is pending.')),
  acknowledgedAt: orNull(datetimeOut()),
  acknowledgedBy: Type.String({ description: 'Empty while nobody has.' }),
  acknowledgementNote: Type.String(),
  resolvedAt: orNull(datetimeOut()),
  resolution: orNull(Type.Enum(RESOLUTIONS, { description: 'Why it ended.' })),
})

export const alertPage = pageOf(alert, { items: 'Newest first.' })

export const alertsQuery = {
  status: Type.Optional(
    Type.Enum(['active', ...ALERT_STATUSES] as const, {
      description: '`active` is firing or acknowledged. Without one: all that ever fired, which pending ones did not.',
    }),
  ),
  serviceName: Type.Optional(text('Exactly this service.')),
  ruleId: Type.Optional(text('Alerts of this rule.')),
  ...paging,
}

export const acknowledgement = fields({
  note: Type.Optional(text('What to tell those who look at the alert next.', 2000)),
})
