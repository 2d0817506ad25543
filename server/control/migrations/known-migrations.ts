import type { Migration } from 'kysely'
import * as grids from './0001-grids.ts'
import * as apiKeys from './0002-api-keys.ts'
import * as usersAndClients from './0003-users-and-clients.ts'
import * as members from './0004-members.ts'
import * as authority from './0005-authority.ts'

/** In the order in which they run. A released one is never changed, and there is no way back. */
export const KNOWN_MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001-grids': grids,
  '0002-api-keys': apiKeys,
  '0003-users-and-clients': usersAndClients,
  '0004-members': members,
  '0005-authority': authority,
}
