import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Credential } from './api-client.ts'
import { CommandFailed, messageOf } from './failure.ts'
import { isFresh, requestTokens, type Tokens } from './oauth-tokens.ts'
import { RequestFailed } from './request-failed.ts'

/** How the command line on the server's machine administers it: the server writes this at each start. */
export interface LocalAdmin {
  url: string
  tokenUrl: string
  clientId: string
  clientSecret: string
}

const FIELDS = ['url', 'tokenUrl', 'clientId', 'clientSecret'] as const

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
  let tokens: Tokens | undefined
  return async () => {
    if (tokens === undefined || !isFresh(tokens, Date.now())) {
      tokens = await requestTokens(tokenUrl, {
        grant_type: 'client_credentials',
        client_id: clientId,
        client_secret: clientSecret,
      }).catch(explain)
    }
    return { authorization: `Bearer ${tokens.accessToken}` }
  }
}

/** The secret is new at each start, so a wrong one is of another folder or of a server that is gone. */
function explain(error: unknown): never {
  if (!(error instanceof RequestFailed) || error.kind !== 'refused') throw error
  throw new CommandFailed('The server did not let the local administrator in: is FAULTLINE_DATA_DIR its data folder?')
}
