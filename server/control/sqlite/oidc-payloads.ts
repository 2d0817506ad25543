import type { Selectable } from 'kysely'
import type { AuthorityStore, StoredOidcPayload } from '../authority-store.ts'
import { hashOfSecret } from '../secrets.ts'
import type { ControlTables } from '../tables.ts'
import type { ControlDatabase } from './database.ts'

/** Anyone may begin to sign in, and each beginning is a row: a flood of them pushes out its own. */
const LIMITS = { rowsPerModelMax: 20_000, putsPerTrim: 100 }
const PURGE_ROWS_MAX = 1_000

type PayloadRow = Selectable<ControlTables['oidc_payloads']>

export function createOidcPayloads(db: ControlDatabase, limits = LIMITS): AuthorityStore['payloads'] {
  const putsOfModel = new Map<string, number>()

  async function trimNowAndThen(model: string): Promise<void> {
    const puts = (putsOfModel.get(model) ?? 0) + 1
    putsOfModel.set(model, puts % limits.putsPerTrim)
    if (puts < limits.putsPerTrim) return
    const kept = db
      .selectFrom('oidc_payloads')
      .select('id_hash')
      .where('model', '=', model)
      .orderBy('expires_at_ms', 'desc')
      .limit(limits.rowsPerModelMax)
    await db.deleteFrom('oidc_payloads').where('model', '=', model).where('id_hash', 'not in', kept).execute()
  }

  const alive = (nowMs: number) => db.selectFrom('oidc_payloads').selectAll().where('expires_at_ms', '>', nowMs)

  return {
    async put(record) {
      const changing = {
        payload: JSON.stringify(record.payload),
        uid: record.uid,
        grant_id: record.grantId,
        account_id: record.accountId,
        expires_at_ms: record.expiresAtMs,
      }
      await db
        .insertInto('oidc_payloads')
        .values({ model: record.model, id_hash: hashOfSecret(record.id), consumed_at_ms: null, ...changing })
        .onConflict((conflict) => conflict.columns(['model', 'id_hash']).doUpdateSet(changing))
        .execute()
      await trimNowAndThen(record.model)
    },

    async find(model, id, nowMs) {
      const query = alive(nowMs).where('model', '=', model).where('id_hash', '=', hashOfSecret(id))
      return storedOf(await query.executeTakeFirst())
    },

    async findByUid(model, uid, nowMs) {
      return storedOf(await alive(nowMs).where('model', '=', model).where('uid', '=', uid).executeTakeFirst())
    },

    async consume(model, id, nowMs) {
      const result = await db
        .updateTable('oidc_payloads')
        .set({ consumed_at_ms: nowMs })
        .where('model', '=', model)
        .where('id_hash', '=', hashOfSecret(id))
        .where('consumed_at_ms', 'is', null)
        .executeTakeFirst()
      return result.numUpdatedRows > 0n
    },

    async remove(model, id) {
      const rows = db.deleteFrom('oidc_payloads').where('model', '=', model)
      await rows.where('id_hash', '=', hashOfSecret(id)).execute()
    },

    async removeOfGrant(grantId) {
      await db.deleteFrom('oidc_payloads').where('grant_id', '=', grantId).execute()
    },

    async purge(nowMs) {
      const expired = db
        .selectFrom('oidc_payloads')
        .select(['model', 'id_hash'])
        .where('expires_at_ms', '<=', nowMs)
        .orderBy('expires_at_ms')
        .limit(PURGE_ROWS_MAX)
      const result = await db
        .deleteFrom('oidc_payloads')
        .where(({ eb, refTuple }) => eb(refTuple('model', 'id_hash'), 'in', expired.$asTuple('model', 'id_hash')))
        .executeTakeFirst()
      return Number(result.numDeletedRows)
    },
  }
}

function storedOf(row: PayloadRow | undefined): StoredOidcPayload | undefined {
  return row && { payload: JSON.parse(row.payload), consumedAtMs: row.consumed_at_ms }
}
