import type { ControlStore } from '../control/control-store.ts'
import type { Bearer } from './bearer.ts'
import { AuthenticationFailed, type Authenticator, type Caller } from './caller.ts'

const API_KEY_CHARS_MAX = 512

export function createAuthenticator({ control, bearer }: { control: ControlStore; bearer: Bearer }): Authenticator {
  return {
    async authenticate({ apiKey, authorization }) {
      if (apiKey !== undefined) return keyCaller(control, apiKey)
      if (authorization !== undefined) return bearer(tokenOf(authorization))
      throw new AuthenticationFailed('Send an API key in the API-Key header, or a bearer token in Authorization.')
    },
  }
}

async function keyCaller(control: ControlStore, secret: string): Promise<Caller> {
  const key = secret.length > API_KEY_CHARS_MAX ? undefined : await control.keys.findBySecret(secret, Date.now())
  if (key === undefined) throw new AuthenticationFailed('The API key is not valid.')
  return { kind: 'key', id: key.id, gridId: key.gridId, role: key.role, scopes: key.scopes }
}

function tokenOf(authorization: string): string {
  const token = /^Bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(authorization)?.[1]
  if (token === undefined) throw new AuthenticationFailed('Authorization must read "Bearer" and an access token.')
  return token
}
