import Type from 'typebox'
import { ASSESSMENTS } from '../../../diagnostics/changes/change-impact.ts'
import { CHANGE_TYPES } from '../../../diagnostics/changes/found-event.ts'
import { datetimeOut, fields } from '../values.ts'

const percent = (of: string) =>
  Type.String({
    description: `${of}, up to 30 minutes after the change against up to 30 minutes before it, as a signed percentage.`,
    examples: ['+145%', '-22%', '0%'],
  })

export const changes = fields({
  changes: Type.Array(
    fields({
      type: Type.Enum(CHANGE_TYPES),
      serviceName: Type.String({ examples: ['checkout'] }),
      detectedAt: datetimeOut("When it happened, in the telemetry's own time, to the minute."),
      previousVersion: Type.Optional(Type.String({ description: 'Of a deployment.', examples: ['2.3.0'] })),
      currentVersion: Type.Optional(Type.String({ description: 'Of a deployment.', examples: ['2.3.1'] })),
      description: Type.Optional(
        Type.String({ description: 'Of all but deployments.', examples: ['scaled from 3 to 5 instances'] }),
      ),
      performanceImpact: fields({
        latencyChange: percent("The service's average latency"),
        errorRateChange: percent("The service's error rate"),
        assessment: Type.Enum(ASSESSMENTS, {
          description:
            'Neutral unless something changed significantly. Where both figures did, the error rate decides: requests that fail at once, or only after a timeout, distort the latency.',
        }),
      }),
    }),
    { description: 'Newest first.' },
  ),
})
