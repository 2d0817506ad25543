import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Credential, send, textOf } from './api-client.ts'
import { CommandFailed, messageOf } from './failure.ts'

/** How the command line on the server's machine administers it: the server writes this at each start. */
export interface LocalAdmin {
  url: string
  tokenUrl: string
  clientId: string
  clientSecret: string
}

const FIELDS = ['url', 'tokenUrl', 'clientId', 'clientSecret'] as const
const RENEW_BEFORE_MS = 60_000

/** Undefined where no server has ever been started on this folder. */
export async function readLocalAdmin(dataDir: string): Promise<LocalAdmin | undefined> {
  const file = join(dataDir, 'admin.json')
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw new CommandFailed(`${file} cannot be read: ${messageOf(error)}`)
  }
  return localAdminOf(file, text)
}

function localAdminOf(file: string, text: string): LocalAdmin {
  try {
    const value: unknown = JSON.parse(text)
    if (isLocalAdmin(value)) return value
  } catch {}
  throw new CommandFailed(`${file} is damaged; the server writes it anew when it is started again`)
}

function isLocalAdmin(value: unknown): value is LocalAdmin {
  if (typeof value !== 'object' || value === null) return false
  const fields = new Map(Object.entries(value))
  return FIELDS.every((name) => typeof fields.get(name) === 'string')
}

/** Signs in by client credentials, and again before the token expires. */
export function localAdminCredential({ tokenUrl, clientId, clientSecret }: LocalAdmin): Credential {
  let token = ''
  let validUntilMs = 0
  return async () => {
    if (performance.now() > validUntilMs) {
      const startedMs = performance.now()
      const given = await requestToken(tokenUrl, clientId, clientSecret)
      token = given.token
      validUntilMs = startedMs + given.expiresMs - RENEW_BEFORE_MS
    }
    return { authorization: `Bearer ${token}` }
  }
}

interface GivenToken {
  token: string
  expiresMs: number
}

async function requestToken(tokenUrl: string, id: string, secret: string): Promise<GivenToken> {
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: secret })
  const response = await send(tokenUrl, { method: 'POST', body })
  const text = await textOf(response)
  if (!response.ok) {
    throw new CommandFailed(
      `The server did not let the local administrator in (${response.status}): is FAULTLINE_DATA_DIR its data folder?`,
    )
  }
  const { access_token: token, expires_in: seconds } = JSON.parse(text) as { access_token: string; expires_in: number }
  return { token, expiresMs: seconds * 1000 }
}
