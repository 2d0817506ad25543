import Type from 'typebox'
import { ALERT_SEVERITIES } from '../../../domain/alert-rule.ts'
import { datetimeOut, fields } from '../values.ts'

export const activeAlerts = fields({
  alerts: Type.Array(
    fields({
      id: Type.String({ description: 'Names this firing; the next one of the same rule has another id.' }),
      ruleName: Type.String({ examples: ['High Error Rate'] }),
      severity: Type.Enum(ALERT_SEVERITIES),
      serviceName: Type.String({ examples: ['checkout'] }),
      condition: Type.String({ examples: ['error_rate > 5%'] }),
      currentValue: Type.Number({ description: "In the condition's unit.", examples: [12.5] }),
      triggeredAt: datetimeOut('When it began to fire.'),
      status: Type.Enum(['firing', 'acknowledged']),
    }),
    { description: 'Critical first, then newest first.' },
  ),
})
