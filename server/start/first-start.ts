import { randomBytes } from 'node:crypto'
import type { Config } from '../config/config.ts'
import type { ControlStore } from '../control/control-store.ts'

/** What the first start has made, with the secrets, which are shown this once. */
export interface FirstGrid {
  gridId: string
  /** Undefined where the configuration gave it. */
  ownerKey: string | undefined
  ingestKey: string
  adminEmail: string
  adminPassword: string | undefined
}

const ADMIN_EMAIL = 'admin@localhost'

/** On an empty control store: a Grid, an Owner key, a key that can only send, and an administrator. */
export async function makeFirstGrid(control: ControlStore, config: Config): Promise<FirstGrid | undefined> {
  if ((await control.grids.list()).length > 0 || (await control.grids.removed()).length > 0) return undefined
  const grid = await control.grids.create({
    name: 'First Grid',
    ...(config.gridId === undefined ? {} : { id: config.gridId }),
  })
  const gridId = grid.id
  const owner = await control.keys.create({
    gridId,
    name: 'Owner, made at the first start',
    role: 'Owner',
    scopes: ['read', 'ingest', 'manage'],
    expiresAtMs: null,
    ...(config.apiKey === undefined ? {} : { secret: config.apiKey }),
  })
  const ingest = await control.keys.create({
    gridId,
    name: 'Ingest only, made at the first start',
    role: 'Guest',
    scopes: ['ingest'],
    expiresAtMs: null,
  })
  const password = config.adminPassword ?? randomBytes(15).toString('base64url')
  await control.users.create({ email: ADMIN_EMAIL, name: 'Administrator', password, admin: true })
  return {
    gridId,
    ownerKey: config.apiKey === undefined ? owner.secret : undefined,
    ingestKey: ingest.secret,
    adminEmail: ADMIN_EMAIL,
    adminPassword: config.adminPassword === undefined ? password : undefined,
  }
}
