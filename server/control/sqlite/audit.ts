import type { Selectable } from 'kysely'
import type { AuditEntry, AuditLog } from '../audit-log.ts'
import type { ControlTables } from '../tables.ts'
import type { ControlDatabase } from './database.ts'

export function createAudit(db: ControlDatabase): AuditLog {
  return {
    async record({ atMs, gridId, caller, action, target, change }) {
      const row = {
        at_ms: atMs,
        grid_id: gridId,
        caller,
        action,
        target: JSON.stringify(target),
        change,
      }
      await db.insertInto('audit').values(row).execute()
    },

    async list({ gridId, offset, limit }) {
      const asked = db
        .selectFrom('audit')
        .$if(gridId !== undefined, (query) => query.where('grid_id', '=', gridId ?? ''))
      const { n } = await asked.select(({ fn }) => fn.countAll<number>().as('n')).executeTakeFirstOrThrow()
      const rows = await asked.selectAll().orderBy('id', 'desc').offset(offset).limit(limit).execute()
      return { items: rows.map(entryOf), totalCount: Number(n) }
    },

    async expire(beforeMs) {
      await db.deleteFrom('audit').where('at_ms', '<', beforeMs).execute()
    },
  }
}

function entryOf(row: Selectable<ControlTables['audit']>): AuditEntry {
  const { caller, action, change } = row
  return {
    id: String(row.id),
    atMs: row.at_ms,
    gridId: row.grid_id,
    caller,
    action,
    target: JSON.parse(row.target),
    change,
  }
}
