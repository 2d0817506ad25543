import type { FastifyRequest } from 'fastify'
import { AuthenticationFailed, type Authenticator, type Caller, type Credentials } from '../identity/caller.ts'
import { Problem } from './problem.ts'
import type { TokenBuckets } from './rate-limits.ts'

export const FAILURES_PER_MINUTE = 30

export interface Authentication {
  authenticator: Authenticator
  /** Of their own, so that a flood of failures cannot push out the buckets of callers. */
  failures: TokenBuckets
  clock: () => number
}

/**
 * Whoever the request proves to come from. Failures are counted by address only once they happened: a valid credential
 * passes, however many wrong ones came from the same address. A request without any credential guesses nothing and is
 * not counted.
 */
export async function callerOf(request: FastifyRequest, authentication: Authentication): Promise<Caller> {
  const credentials = credentialsOf(request)
  if (credentials.apiKey === undefined && credentials.authorization === undefined) {
    const detail = 'Give an API key in the header API-Key, or a token in the header Authorization: Bearer.'
    throw new Problem('missing-credential', detail, { headers: challenge('') })
  }
  try {
    return await authentication.authenticator.authenticate(credentials)
  } catch (error) {
    if (!(error instanceof AuthenticationFailed)) throw error
    await countFailure(request, authentication)
    throw new Problem('invalid-credential', error.message, { headers: challenge(', error="invalid_token"') })
  }
}

/** Who a caller is to everything that counts or logs. */
export function callerKey(caller: Caller): string {
  return `${caller.kind}:${caller.id}`
}

function credentialsOf({ headers }: FastifyRequest): Credentials {
  const apiKey = headers['api-key']
  return { apiKey: Array.isArray(apiKey) ? apiKey.join(',') : apiKey, authorization: headers.authorization }
}

function challenge(bearerError: string): Record<string, string> {
  return { 'www-authenticate': `Bearer realm="faultline"${bearerError}, ApiKey realm="faultline"` }
}

async function countFailure(request: FastifyRequest, { failures, clock }: Authentication): Promise<void> {
  const bucket = { key: networkOf(request.ip), perMinute: FAILURES_PER_MINUTE }
  const taken = await failures.take([bucket], clock())
  if (taken.granted) return
  throw new Problem('too-many-failed-authentications', 'This address failed to authenticate too often.', {
    headers: { 'retry-after': String(taken.retryAfterSeconds) },
  })
}

/** One machine commonly has a whole /64 of IPv6 addresses to choose from. */
function networkOf(address: string): string {
  if (!address.includes(':') || address.includes('.')) return address
  const [head = '', tail] = address.split('::')
  const groups = head.split(':')
  const missing = tail === undefined ? 0 : 8 - groups.length - tail.split(':').length
  return [...groups, ...Array<string>(Math.max(missing, 0)).fill('0'), ...(tail ?? '').split(':')].slice(0, 4).join(':')
}
