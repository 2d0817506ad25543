import type { FastifySchema } from 'fastify'
import Type, { type TProperties, type TSchema } from 'typebox'
import type { Access } from './access.ts'
import type { Endpoint } from './endpoint.ts'
import { PROBLEM_CONTENT_TYPE, PROBLEM_KINDS, type ProblemKind } from './problem.ts'
import { PROBLEM_REFERENCE } from './schemas/problem.ts'
import { gridId } from './schemas/values.ts'
import { SUPPORTED_VERSION } from './versions.ts'

type AnyEndpoint = Endpoint<TProperties, TProperties, TSchema, TSchema>

const versionQuery = {
  'api-version': Type.Optional(
    Type.Unsafe<unknown>({
      type: 'string',
      description: 'The version of this interface; the header `X-Api-Version` may give it instead. One is required.',
      examples: [SUPPORTED_VERSION],
    }),
  ),
}

/** The framework's schema of a route: what it validates, and what the documentation shows. */
export function schemaOf(endpoint: AnyEndpoint): FastifySchema {
  const { access, tag, summary, description, body, query } = endpoint
  const params = { ...(access.of === 'grid' ? { gridSecondaryId: gridId } : {}), ...endpoint.params }
  return {
    tags: [tag],
    summary,
    operationId: operationIdOf(summary),
    description: [description, accessSentence(access)].filter(Boolean).join('\n\n'),
    security: [{ apiKey: [] }, { bearer: [] }],
    querystring: Type.Object({ ...query, ...versionQuery }),
    ...(Object.keys(params).length > 0 ? { params: Type.Object(params) } : {}),
    ...(body ? { body } : {}),
    response: { ...successOf(endpoint), ...problemResponses(problemsOf(endpoint)) },
  }
}

export function successStatus({ created, response }: Pick<AnyEndpoint, 'created' | 'response'>): number {
  if (response === null) return 204
  return created ? 201 : 200
}

function successOf(endpoint: AnyEndpoint): Record<number, unknown> {
  const { response, contentType = 'application/json' } = endpoint
  const body = response ? { content: { [contentType]: { schema: response } } } : { type: 'null' }
  return { [successStatus(endpoint)]: { description: 'Done.', ...body } }
}

/** The responses of a route that end in a problem, by status. */
export function problemResponses(kinds: readonly ProblemKind[]): Record<number, unknown> {
  const statuses = [...new Set(kinds.map((kind) => PROBLEM_KINDS[kind].status))].sort()
  return Object.fromEntries(
    statuses.map((status) => {
      const ofStatus = kinds.filter((kind) => PROBLEM_KINDS[kind].status === status)
      const description = ofStatus.map((kind) => `\`${kind}\`: ${PROBLEM_KINDS[kind].about}`).join('\n\n')
      return [status, { description, content: { [PROBLEM_CONTENT_TYPE]: { schema: PROBLEM_REFERENCE } } }]
    }),
  )
}

const EVERYWHERE: ProblemKind[] = [
  'missing-version',
  'unsupported-version',
  'conflicting-versions',
  'missing-credential',
  'invalid-credential',
  'too-many-failed-authentications',
  'rate-limit-exceeded',
  'identity-provider-unavailable',
  'not-ready',
  'internal-error',
]

function problemsOf({ access, params, query, body, problems = [] }: AnyEndpoint): ProblemKind[] {
  return [
    ...EVERYWHERE,
    ...accessProblems(access),
    ...(params || query ? (['invalid-parameter'] as const) : []),
    ...(body ? (['invalid-body', 'malformed-body', 'body-too-large', 'unsupported-media-type'] as const) : []),
    ...problems,
  ]
}

function accessProblems(access: Access): ProblemKind[] {
  if (access.of === 'administrators') return ['administrators-only']
  if (access.of === 'anyone') return []
  const onGrid: ProblemKind[] = ['malformed-grid-id', 'no-access', 'insufficient-role', 'missing-scope', 'unknown-grid']
  if (access.subscription === 'not needed') return onGrid
  return [...onGrid, 'no-active-subscription', 'too-many-questions', 'query-timeout', 'store-unavailable']
}

function accessSentence(access: Access): string {
  if (access.of === 'administrators') return 'For platform administrators.'
  if (access.of === 'anyone') return 'For every caller.'
  const role = access.role === 'Owner' ? 'Owners' : `the role ${access.role} or a stronger one`
  const subscription = access.subscription === 'needed' ? ' Needs an active subscription.' : ''
  return `For ${role}; a key needs the scope \`${access.scope}\`.${subscription}`
}

function operationIdOf(summary: string): string {
  return summary
    .replaceAll(/[^A-Za-z ]/g, '')
    .toLowerCase()
    .replaceAll(/ +([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
