import type { FastifyRequest } from 'fastify'
import { Problem } from './problem.ts'

export const SUPPORTED_VERSION = '2.0'

const SUPPORTED = `Supported is ${SUPPORTED_VERSION}.`

export function requireVersion(request: Pick<FastifyRequest, 'query' | 'headers'>): void {
  const given = versionsGiven(request)
  const [first, ...others] = new Set(given)
  if (first === undefined) {
    const detail = `No version was given. Add api-version=${SUPPORTED_VERSION} to the query or the header X-Api-Version: ${SUPPORTED_VERSION}.`
    throw new Problem('missing-version', detail)
  }
  if (others.length > 0) {
    throw new Problem('conflicting-versions', `The query and the header give different versions. ${SUPPORTED}`)
  }
  if (first !== SUPPORTED_VERSION) {
    throw new Problem('unsupported-version', `This version is not supported. ${SUPPORTED}`)
  }
}

/** Both places may repeat it: the query as a list, the header with commas. An empty one counts as not given. */
function versionsGiven({ query, headers }: Pick<FastifyRequest, 'query' | 'headers'>): string[] {
  const inQuery = (query as Record<string, unknown>)['api-version'] ?? []
  const inHeader = String(headers['x-api-version'] ?? '').split(',')
  return [inQuery, inHeader]
    .flat(2)
    .map((version) => String(version).trim())
    .filter((version) => version !== '')
}
