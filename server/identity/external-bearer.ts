import type { JWTPayload } from 'jose'
import type { Bearer } from './bearer.ts'
import { createBearerVerifier } from './bearer-verifier.ts'
import { AuthenticationFailed, type Caller } from './caller.ts'
import { createProviderKeys } from './provider-keys.ts'

const NAME_CHARS_MAX = 255

/** Tokens of any OpenID provider. Who administers the platform is not for another provider to say. */
export function createExternalBearer({ issuer, audience }: { issuer: string; audience: string }): Bearer {
  const types = ['at+jwt', 'jwt', '']
  const verify = createBearerVerifier({ issuer, audience, jwks: createProviderKeys(issuer), types })
  return async (token) => externalCallerOf(await verify(token))
}

/** A client speaks for itself where the token names no other subject. */
export function externalCallerOf({ sub, typ, client_id, azp, email, email_verified }: JWTPayload): Caller {
  // Keycloak writes here which of its tokens it is, and signs its ID and refresh tokens with the same keys.
  if (typ !== undefined && typ !== 'Bearer') throw new AuthenticationFailed('The token is no access token.')
  const clientId = nameOf(client_id) ?? nameOf(azp)
  const subject = nameOf(sub) ?? clientId
  if (subject === undefined) throw new AuthenticationFailed('The bearer token names nobody.')
  if (subject === clientId) return { kind: 'client', id: clientId, subjects: [clientId], admin: false }
  const address = email_verified === true ? addressOf(email) : undefined
  return { kind: 'user', id: subject, subjects: address === undefined ? [subject] : [subject, address], admin: false }
}

/** Only what is an address counts as one: anything else could be the name of a client. */
function addressOf(email: unknown): string | undefined {
  const name = nameOf(email)
  return name?.includes('@') ? name.toLowerCase() : undefined
}

/** Names that could not have been given a role are refused rather than altered. */
function nameOf(claim: unknown): string | undefined {
  if (claim === undefined) return undefined
  const isName = typeof claim === 'string' && claim.length > 0 && claim.length <= NAME_CHARS_MAX
  if (isName && !/[\p{Cc}\p{Surrogate}]/u.test(claim)) return claim
  throw new AuthenticationFailed('The bearer token names its subject in a way that is not accepted.')
}
