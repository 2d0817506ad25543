import Type from 'typebox'
import { SERVICE_TYPES } from '../../../diagnostics/dependency-map.ts'
import { fields } from '../values.ts'

export const dependencyMap = fields({
  services: Type.Array(
    fields({
      name: Type.String({ examples: ['checkout'] }),
      type: Type.Enum(SERVICE_TYPES, { description: 'The kind that most of its requests have.' }),
      requestCount: Type.Integer({ examples: [10_622] }),
      errorRate: Type.Number({ description: 'Percent of its requests.', examples: [0.42] }),
    }),
    { description: 'The services that sent spans in the window, most used first.' },
  ),
  edges: Type.Array(
    fields({
      source: Type.String({ description: 'The service that calls.', examples: ['checkout'] }),
      target: Type.String({
        description: 'The service that is called, or what is called outside: a database, a broker, a host.',
        examples: ['postgresql/orders'],
      }),
      requestCount: Type.Integer({ examples: [21_240] }),
      errorRate: Type.Number({ description: 'Percent of the calls that failed for the caller.', examples: [0.1] }),
      avgLatencyMs: Type.Number({ description: 'As the caller saw it.', examples: [4.73] }),
    }),
    { description: 'Who calls whom, most used first. Nobody calls itself.' },
  ),
})
