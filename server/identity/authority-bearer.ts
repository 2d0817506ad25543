import type { JWTVerifyGetKey } from 'jose'
import type { ControlStore } from '../control/control-store.ts'
import type { Bearer } from './bearer.ts'
import { createBearerVerifier } from './bearer-verifier.ts'
import { AuthenticationFailed, type Caller } from './caller.ts'

export interface AuthorityBearerOptions {
  authority: { issuer: string; audience: string; jwks: JWTVerifyGetKey }
  control: ControlStore
}

/** Tokens of the embedded authority. Users and clients are looked up each time: removing one takes effect at once. */
export function createAuthorityBearer({ authority, control }: AuthorityBearerOptions): Bearer {
  const { issuer, audience, jwks } = authority
  const verify = createBearerVerifier({ issuer, audience, jwks, types: ['at+jwt'] })
  return async (token) => {
    const { sub = '', client_id: clientId } = await verify(token)
    const caller = await (sub === clientId ? findClient(control, sub) : findUser(control, sub))
    if (caller === undefined)
      throw new AuthenticationFailed('The bearer token is of someone who is not known any more.')
    return caller
  }
}

async function findClient(control: ControlStore, id: string): Promise<Caller | undefined> {
  const client = await control.clients.find(id)
  return client && { kind: 'client', id, subjects: [id], admin: client.admin }
}

async function findUser(control: ControlStore, id: string): Promise<Caller | undefined> {
  const user = await control.users.find(id)
  return user && { kind: 'user', id, subjects: [id, user.email], admin: user.admin }
}
