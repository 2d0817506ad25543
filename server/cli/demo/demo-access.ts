import { type ApiClient, createApiClient } from '../api-client.ts'
import type { GridAnswer, Listed } from '../choose-grid.ts'
import { CommandFailed } from '../failure.ts'
import { localAdminCredential, readLocalAdmin } from '../local-admin.ts'
import type { KeyAnswer, KeyWithSecret } from '../manage/key-commands.ts'
import type { ServerProcess } from '../serve/server-process.ts'

/** What the demo sends with, and what a person looks with. */
export interface DemoAccess {
  url: string
  gridId: string
  ingestKey: string
  /** Undefined where it is the one in `FAULTLINE_API_KEY`. */
  readKey: string | undefined
}

const KEY_NAME = 'faultline demo'
const PATIENCE = { patienceMs: 10_000, waitsForServer: false }

/** What the first start has made; later, a key of the demo's own. */
export async function demoAccess({ running, config }: ServerProcess): Promise<DemoAccess> {
  const { url, firstGrid } = running
  if (firstGrid) {
    return { url, gridId: firstGrid.gridId, ingestKey: firstGrid.ingestKey, readKey: firstGrid.ownerKey }
  }
  const local = await readLocalAdmin(config.dataDir)
  if (local === undefined) throw new CommandFailed(`The server has left no admin.json in ${config.dataDir}.`)
  const client = createApiClient({ url: local.url, credential: localAdminCredential(local), patience: PATIENCE })
  const gridId = await gridOf(client, config.gridId)
  const { secret } = await freshKey(client, gridId)
  return { url, gridId, ingestKey: secret, readKey: secret }
}

/** The one that the configuration names, or else the oldest. */
async function gridOf(client: ApiClient, wanted: string | undefined): Promise<string> {
  const { items } = await client.get<Listed<GridAnswer>>('/apm/grids')
  const byAge = items.toSorted((a, b) => a.createdAt.localeCompare(b.createdAt))
  const grid = byAge.find(({ gridSecondaryId }) => gridSecondaryId === wanted) ?? byAge[0]
  if (grid === undefined) throw new CommandFailed('There is no Grid to send to: `faultline grids create` makes one.')
  return grid.gridSecondaryId
}

/** The same key with a new secret each time, so that starts leave no trail of keys behind. */
async function freshKey(client: ApiClient, gridId: string): Promise<KeyWithSecret> {
  const path = `/apm/grids/${gridId}/keys`
  const { items } = await client.get<Listed<KeyAnswer>>(path)
  const known = items.find(
    ({ name, revokedAt, expiresAt }) => name === KEY_NAME && revokedAt === null && expiresAt === null,
  )
  if (known) return client.post(`${path}/${encodeURIComponent(known.id)}/rotate`)
  return client.post(path, { name: KEY_NAME, role: 'Guest', scopes: ['read', 'ingest'] })
}
