import { createRemoteJWKSet, errors, type JWTVerifyGetKey } from 'jose'
import { IdentityProviderUnavailable } from './identity-provider-unavailable.ts'

const TIMEOUT_MS = 5_000
const RETRY_AFTER_MS = 5_000
const DOCUMENT_CHARS_MAX = 1_000_000

/**
 * The keys that an OpenID provider publishes. It is asked when the first token arrives, so that the server starts
 * without it. Rejects with `IdentityProviderUnavailable` where it does not answer as it should.
 */
export function createProviderKeys(issuer: string): JWTVerifyGetKey {
  let discovery: Promise<JWTVerifyGetKey> | undefined
  let retryAtMs = 0

  function discoverOnce(): Promise<JWTVerifyGetKey> {
    if (discovery !== undefined && Date.now() < retryAtMs) return discovery
    retryAtMs = Number.POSITIVE_INFINITY
    discovery = discover(issuer)
    discovery.catch(() => {
      retryAtMs = Date.now() + RETRY_AFTER_MS
    })
    return discovery
  }

  return async (header, token) => {
    try {
      const keys = await discoverOnce()
      return await keys(header, token)
    } catch (error) {
      throw saysSomethingAboutTheToken(error) ? error : unavailable(issuer, error)
    }
  }
}

async function discover(issuer: string): Promise<JWTVerifyGetKey> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) })
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}`)
  const { issuer: named, jwks_uri: jwksUri } = JSON.parse(await boundedText(response))
  if (named !== issuer) throw new Error(`${url} speaks for another issuer`)
  const keysUrl = new URL(jwksUri)
  if (issuer.startsWith('https:') && keysUrl.protocol !== 'https:') throw new Error(`${url} names keys without TLS`)
  return createRemoteJWKSet(keysUrl, { timeoutDuration: TIMEOUT_MS })
}

async function boundedText(response: Response): Promise<string> {
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > DOCUMENT_CHARS_MAX) throw new Error('the document does not end')
  }
  return text
}

/** As against a fault of the provider or of the way to it. */
function saysSomethingAboutTheToken(error: unknown): boolean {
  return (
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys ||
    error instanceof errors.JOSENotSupported ||
    error instanceof errors.JOSEAlgNotAllowed
  )
}

function unavailable(issuer: string, error: unknown): IdentityProviderUnavailable {
  return new IdentityProviderUnavailable(`The identity provider ${issuer} cannot be reached.`, { cause: error })
}
