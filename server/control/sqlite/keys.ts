import { randomUUID } from 'node:crypto'
import type { Selectable } from 'kysely'
import { type ApiKey, type ControlStore, type Role, SCOPES, type Scope } from '../control-store.ts'
import { RecordRefused } from '../record-refused.ts'
import { hashOfSecret, makeSecret, refuseWeakSecret, sameHash } from '../secrets.ts'
import type { ControlTables } from '../tables.ts'
import { translatingConstraints } from './constraint-errors.ts'
import type { ControlDatabase } from './database.ts'
import type { KeyCache } from './key-cache.ts'

type KeyRow = Selectable<ControlTables['api_keys']>

const MADE_PREFIX_CHARS = 12
/** A secret that a person chose may be short: less of it is shown. */
const GIVEN_PREFIX_CHARS = 4

export function createKeys(db: ControlDatabase, cache: KeyCache): ControlStore['keys'] {
  async function read(secretHash: string): Promise<ApiKey | undefined> {
    const row = await db.selectFrom('api_keys').selectAll().where('secret_hash', '=', secretHash).executeTakeFirst()
    return row && sameHash(row.secret_hash, secretHash) ? keyOf(row) : undefined
  }

  return {
    async create({ secret: given, ...key }) {
      if (given !== undefined) refuseWeakSecret(given)
      refuseUnknownScopes(key.scopes)
      const secret = given ?? makeSecret('flk_')
      const row: KeyRow = {
        id: randomUUID(),
        grid_id: key.gridId.toLowerCase(),
        name: key.name,
        prefix: secret.slice(0, given === undefined ? MADE_PREFIX_CHARS : GIVEN_PREFIX_CHARS),
        secret_hash: hashOfSecret(secret),
        role: key.role,
        scopes: JSON.stringify([...new Set(key.scopes)]),
        created_at_ms: Date.now(),
        expires_at_ms: key.expiresAtMs,
        revoked_at_ms: null,
      }
      await translatingConstraints('This secret is already in use.', db.insertInto('api_keys').values(row).execute())
      return { key: keyOf(row), secret }
    },

    async findBySecret(secret, nowMs) {
      const secretHash = hashOfSecret(secret)
      const key = cache.find(secretHash) ?? (await cache.load(secretHash, () => read(secretHash)))
      return key && isUsable(key, nowMs) ? { ...key, scopes: [...key.scopes] } : undefined
    },

    async list(gridId) {
      const query = db.selectFrom('api_keys').selectAll().where('grid_id', '=', gridId.toLowerCase())
      const rows = await query.orderBy('created_at_ms').orderBy('id').execute()
      return rows.map(keyOf)
    },

    async rotate(gridId, id) {
      const secret = makeSecret('flk_')
      const row = await db
        .updateTable('api_keys')
        .set({ secret_hash: hashOfSecret(secret), prefix: secret.slice(0, MADE_PREFIX_CHARS) })
        .where('grid_id', '=', gridId.toLowerCase())
        .where('id', '=', id)
        .where('revoked_at_ms', 'is', null)
        .returningAll()
        .executeTakeFirst()
      cache.clear()
      return row && { key: keyOf(row), secret }
    },

    async revoke(gridId, id, nowMs) {
      const result = await db
        .updateTable('api_keys')
        .set(({ fn, ref, val }) => ({ revoked_at_ms: fn.coalesce(ref('revoked_at_ms'), val(nowMs)) }))
        .where('grid_id', '=', gridId.toLowerCase())
        .where('id', '=', id)
        .executeTakeFirst()
      cache.clear()
      return result.numUpdatedRows > 0n
    },
  }
}

function refuseUnknownScopes(scopes: Scope[]): void {
  const unknown = scopes.find((scope) => !SCOPES.includes(scope))
  if (unknown !== undefined) throw new RecordRefused(`There is no scope "${unknown}", only ${SCOPES.join(', ')}.`)
}

function isUsable(key: ApiKey, nowMs: number): boolean {
  return key.revokedAtMs === null && (key.expiresAtMs === null || nowMs < key.expiresAtMs)
}

function keyOf(row: KeyRow): ApiKey {
  return {
    id: row.id,
    gridId: row.grid_id,
    name: row.name,
    prefix: row.prefix,
    role: row.role as Role,
    scopes: JSON.parse(row.scopes),
    createdAtMs: row.created_at_ms,
    expiresAtMs: row.expires_at_ms,
    revokedAtMs: row.revoked_at_ms,
  }
}
