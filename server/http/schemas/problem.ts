import Type from 'typebox'
import { problemType } from '../problem.ts'

/** The body of every error outside of the OTLP paths, as the documentation names it. */
export const problemSchema = Type.Object(
  {
    type: Type.String({
      format: 'uri',
      description: 'The kind of problem.',
      examples: [problemType('missing-version')],
    }),
    title: Type.String({ description: 'The phrase of the HTTP status.', examples: ['Bad Request'] }),
    status: Type.Integer({ description: 'The HTTP status.', examples: [400] }),
    detail: Type.String({ description: 'What was wrong, for the person who asked.' }),
    instance: Type.String({ description: 'The path of the request, without its query.' }),
  },
  { $id: 'Problem', additionalProperties: false },
)

export const PROBLEM_REFERENCE = { $ref: 'Problem#' }
