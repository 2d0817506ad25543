import { decodeJwt } from 'jose'
import type { Bearer } from './bearer.ts'
import { AuthenticationFailed } from './caller.ts'

/**
 * With a provider of their own, people sign in there; the server's own authority goes on vouching for the command line on its
 * machine. Which of the two a token claims to be from only chooses who verifies it.
 */
export function createIssuerBearer(ownIssuer: string, own: Bearer, external: Bearer): Bearer {
  return async (token) => (issuerOf(token) === ownIssuer ? await own(token) : await external(token))
}

function issuerOf(token: string): string | undefined {
  try {
    return decodeJwt(token).iss
  } catch {
    throw new AuthenticationFailed('The bearer token is not a JWT.')
  }
}
