import Type from 'typebox'
import { PRESSURE_TYPES } from '../../../diagnostics/pressure/catalogue-entry.ts'
import { PRESSURE_SEVERITIES } from '../../../diagnostics/pressure/saturation.ts'
import { datetimeOut, fields } from '../values.ts'

export const pressure = fields({
  pressurePoints: Type.Array(
    fields({
      type: Type.Enum(PRESSURE_TYPES),
      serviceName: Type.String({ examples: ['payments'] }),
      resource: Type.String({
        description: 'What is under pressure; with the worst instance behind it where several have it.',
        examples: ['pay-primary'],
      }),
      utilization: Type.Number({
        description: 'Percent of the limit; 0 where no limit is known and a growing backlog alone tells.',
        examples: [96.5],
      }),
      capacity: Type.Number({
        description: 'The limit: connections, threads, bytes, processors, …; 0 where it is unknown.',
        examples: [20],
      }),
      queueDepth: Type.Integer({ description: 'What waits; 0 where nothing tells.', examples: [34] }),
      severity: Type.Enum(PRESSURE_SEVERITIES),
      detectedAt: datetimeOut('When it crossed its limit, within the window asked about.'),
    }),
    { description: 'Critical first, then by utilization; at most 100.' },
  ),
})
