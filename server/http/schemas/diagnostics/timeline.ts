import Type from 'typebox'
import { EVENT_SEVERITIES, EVENT_TYPES } from '../../../control/control-store.ts'
import { datetimeOut, fields } from '../values.ts'

export const timeline = fields({
  events: Type.Array(
    fields({
      timestamp: datetimeOut("When it happened, in the telemetry's own time."),
      type: Type.Enum(EVENT_TYPES),
      description: Type.String({ examples: ['error rate rose from 0.2% to 18%'] }),
      severity: Type.Enum(EVENT_SEVERITIES),
      serviceName: Type.String({ description: 'Empty for the whole Grid.', examples: ['checkout'] }),
    }),
    { description: 'Ascending by time.' },
  ),
})
