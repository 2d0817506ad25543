import type { Migration } from 'kysely'
import { up as grids } from './0001-grids.ts'
import { up as apiKeys } from './0002-api-keys.ts'
import { up as usersAndClients } from './0003-users-and-clients.ts'
import { up as members } from './0004-members.ts'
import { up as authority } from './0005-authority.ts'
import { up as alerts } from './0006-alerts.ts'
import { up as events } from './0007-events.ts'
import { up as audit } from './0008-audit.ts'
import { up as charts } from './0009-charts.ts'
import { up as notifications } from './0010-notifications.ts'
import { up as privacy } from './0011-privacy.ts'
import { up as diskSharesAndRemovedGrids } from './0012-disk-shares-and-removed-grids.ts'

/** In the order in which they run. A released one is never changed, and there is no way back. */
export const KNOWN_MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001-grids': { up: grids },
  '0002-api-keys': { up: apiKeys },
  '0003-users-and-clients': { up: usersAndClients },
  '0004-members': { up: members },
  '0005-authority': { up: authority },
  '0006-alerts': { up: alerts },
  '0007-events': { up: events },
  '0008-audit': { up: audit },
  '0009-charts': { up: charts },
  '0010-notifications': { up: notifications },
  '0011-privacy': { up: privacy },
  '0012-disk-shares-and-removed-grids': { up: diskSharesAndRemovedGrids },
}
