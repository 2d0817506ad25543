import type { AuthorityStore } from '../authority-store.ts'
import type { ControlDatabase } from './database.ts'
import { createOidcPayloads } from './oidc-payloads.ts'

export function createAuthorityStore(db: ControlDatabase): AuthorityStore {
  return {
    payloads: createOidcPayloads(db),
    settings: {
      async update(key, change) {
        return db.transaction().execute(async (tx) => {
          const current = await tx.selectFrom('settings').select('value').where('key', '=', key).executeTakeFirst()
          const value = change(current?.value)
          if (value === current?.value) return value
          await tx
            .insertInto('settings')
            .values({ key, value })
            .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
            .execute()
          return value
        })
      },
    },
    async clientSecretHash(clientId) {
      const row = await db.selectFrom('clients').select('secret_hash').where('id', '=', clientId).executeTakeFirst()
      return row?.secret_hash
    },
  }
}
