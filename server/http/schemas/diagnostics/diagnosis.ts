import Type from 'typebox'
import { CAUSES } from '../../../diagnostics/diagnosis/catalogue.ts'
import { DIAGNOSIS_SEVERITIES } from '../../../diagnostics/diagnosis/diagnosis.ts'
import { datetimeOut, fields } from '../values.ts'

const PHRASES = Object.values(CAUSES).map(({ phrase, means }) => `${phrase} (${means})`)

export const diagnosis = fields({
  diagnoses: Type.Array(
    fields({
      cause: Type.String({
        description: `Begins with one of: ${PHRASES.join(', ')}. Then the service at fault, and the place in it.`,
        examples: ['Connection pool exhaustion in payments (pay-primary)'],
      }),
      confidence: Type.Number({ minimum: 0, maximum: 1, description: '0 to 1: how sure it is.', examples: [0.88] }),
      severity: Type.Enum(DIAGNOSIS_SEVERITIES, {
        description:
          'critical where users see errors or where they come in nothing works in bearable time, else warning.',
      }),
      affectedServices: Type.Array(Type.String(), {
        description:
          'First the service at fault, which is or was instrumented (for a dependency outside, the service that calls it); then the callers that suffer, nearest first.',
        examples: [['payments', 'checkout', 'storefront']],
      }),
      evidence: Type.Array(Type.String(), { description: 'Facts with figures, each of which the API can confirm.' }),
      firstDetected: datetimeOut('When it began, by estimate.'),
      impactedTraceCount: Type.Integer({
        description: 'Traces since then that failed or slowed in the service at fault.',
        examples: [412],
      }),
    }),
    {
      description:
        'One for each cause, by severity (critical 2, warning 1) times confidence, times 0.4 where it has been over for two minutes at the end of the window.',
    },
  ),
})
