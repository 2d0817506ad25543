import { randomUUID } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { Client, ControlStore } from '../control-store.ts'
import { RecordRefused } from '../record-refused.ts'
import { hashOfSecret, makeSecret, refuseWeakSecret } from '../secrets.ts'
import type { ControlTables } from '../tables.ts'
import { translatingConstraints } from './constraint-errors.ts'
import type { ControlDatabase } from './database.ts'

type ClientRow = Selectable<ControlTables['clients']>

export function createClients(db: ControlDatabase): ControlStore['clients'] {
  return {
    async create({ id, name, admin, secret: given }) {
      if (given !== undefined) refuseWeakSecret(given)
      if (id !== undefined) refuseOddId(id)
      const secret = given ?? makeSecret('flc_')
      const row: ClientRow = {
        id: id ?? randomUUID(),
        name,
        secret_hash: hashOfSecret(secret),
        admin: admin ? 1 : 0,
        created_at_ms: Date.now(),
      }
      await translatingConstraints(
        `The client ${row.id} already exists.`,
        db.insertInto('clients').values(row).execute(),
      )
      return { client: clientOf(row), secret }
    },

    async find(id) {
      const row = await db.selectFrom('clients').selectAll().where('id', '=', id).executeTakeFirst()
      return row && clientOf(row)
    },

    async list() {
      const rows = await db.selectFrom('clients').selectAll().orderBy('created_at_ms').orderBy('id').execute()
      return rows.map(clientOf)
    },

    async remove(id) {
      return db.transaction().execute(async (tx) => {
        const result = await tx.deleteFrom('clients').where('id', '=', id).executeTakeFirst()
        if (result.numDeletedRows === 0n) return false
        // A later client may be given the same id: it starts without the roles of this one.
        await tx.deleteFrom('members').where('subject', '=', id).execute()
        return true
      })
    },
  }
}

/** Without an @, so that it is never taken for an address that was invited. */
function refuseOddId(id: string): void {
  if (/^[A-Za-z0-9._~-]{1,200}$/.test(id)) return
  throw new RecordRefused("A client's id has 1 to 200 letters, digits, dots, dashes, underscores or tildes.")
}

function clientOf(row: ClientRow): Client {
  return { id: row.id, name: row.name, admin: row.admin === 1, createdAtMs: row.created_at_ms }
}
