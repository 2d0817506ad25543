import { errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose'
import { AuthenticationFailed } from './caller.ts'

const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'EdDSA']
const CLOCK_TOLERANCE_S = 5
const TOKEN_CHARS_MAX = 16_384

export interface BearerVerifierOptions {
  issuer: string
  audience: string
  jwks: JWTVerifyGetKey
  /** What `typ` may say, in lower case; an empty string where it may be missing. */
  types: readonly string[]
}

/** Resolves to what the token says once all of it is proven; rejects with `AuthenticationFailed`. */
export type BearerVerifier = (token: string) => Promise<JWTPayload>

export function createBearerVerifier({ issuer, audience, jwks, types }: BearerVerifierOptions): BearerVerifier {
  const options = {
    issuer,
    audience,
    algorithms: ALGORITHMS,
    clockTolerance: CLOCK_TOLERANCE_S,
    requiredClaims: ['exp'],
  }
  return async (token) => {
    if (token.length > TOKEN_CHARS_MAX) throw new AuthenticationFailed('The bearer token is too long.')
    try {
      const { payload, protectedHeader } = await jwtVerify(token, jwks, options)
      if (!types.includes(typeOf(protectedHeader.typ))) throw new AuthenticationFailed('The token is no access token.')
      return payload
    } catch (error) {
      throw error instanceof errors.JOSEError ? failureOf(error) : error
    }
  }
}

/** Media types may be written with `application/` and in any letter case. */
function typeOf(typ: string | undefined): string {
  return (typ ?? '').toLowerCase().replace(/^application\//, '')
}

function failureOf(error: errors.JOSEError): AuthenticationFailed {
  const message =
    error instanceof errors.JWTExpired ? 'The bearer token has expired.' : 'The bearer token is not valid.'
  return new AuthenticationFailed(message, { cause: error })
}
