import type { ControlStoreWithAuthority } from '../authority-store.ts'
import { createAlerts } from './alerts.ts'
import { createAudit } from './audit.ts'
import { createAuthorityStore } from './authority.ts'
import { createChannels } from './channels.ts'
import { createCharts } from './charts.ts'
import { createClients } from './clients.ts'
import { createDashboards } from './dashboards.ts'
import { closeDatabase, copyDatabase, openDatabase } from './database.ts'
import { createDeletions } from './deletions.ts'
import { createEventMemory } from './event-memory.ts'
import { createEvents } from './events.ts'
import { createGrids } from './grids.ts'
import { KeyCache } from './key-cache.ts'
import { createKeys } from './keys.ts'
import { createMembers } from './members.ts'
import { createOutbox } from './outbox.ts'
import { createPrivacy } from './privacy.ts'
import { createSilences } from './silences.ts'
import { createUsers } from './users.ts'

/**
 * A file, or `:memory:` for one that is gone when it is closed. Fails with `StoreUnusable`. One process owns the file:
 * what another one revokes would be noticed late.
 */
export async function openSqliteControlStore(path: string): Promise<ControlStoreWithAuthority> {
  const db = await openDatabase(path)
  const keyCache = new KeyCache()
  return {
    grids: createGrids(db, keyCache),
    keys: createKeys(db, keyCache),
    users: createUsers(db),
    clients: createClients(db),
    members: createMembers(db),
    alerts: createAlerts(db),
    channels: createChannels(db),
    silences: createSilences(db),
    outbox: createOutbox(db),
    charts: createCharts(db),
    dashboards: createDashboards(db),
    events: createEvents(db),
    eventMemory: createEventMemory(db),
    privacy: createPrivacy(db),
    deletions: createDeletions(db),
    audit: createAudit(db),
    authority: createAuthorityStore(db),
    copyTo: (path) => copyDatabase(db, path),
    close: () => closeDatabase(db),
  }
}
