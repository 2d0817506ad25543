import { randomUUID } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { ControlStore, User } from '../control-store.ts'
import { hashPassword, passwordMatches } from '../passwords.ts'
import type { ControlTables } from '../tables.ts'
import { translatingConstraints } from './constraint-errors.ts'
import type { ControlDatabase } from './database.ts'
import { forgetFailures, isLockedOut, recordFailure } from './sign-in-failures.ts'

type UserRow = Selectable<ControlTables['users']>

const EMAIL_CHARS_MAX = 254

export function createUsers(db: ControlDatabase): ControlStore['users'] {
  async function findRow(id: string): Promise<UserRow | undefined> {
    return db.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst()
  }

  return {
    async create({ email, name, password, admin }) {
      const row: UserRow = {
        id: randomUUID(),
        email: normalEmail(email),
        name,
        password_hash: await hashPassword(password),
        admin: admin ? 1 : 0,
        created_at_ms: Date.now(),
      }
      const taken = `There is already a user with the address ${row.email}.`
      await translatingConstraints(taken, db.insertInto('users').values(row).execute())
      return userOf(row)
    },

    async find(id) {
      const row = await findRow(id)
      return row && userOf(row)
    },

    async list() {
      const rows = await db.selectFrom('users').selectAll().orderBy('created_at_ms').orderBy('id').execute()
      return rows.map(userOf)
    },

    async verifyPassword(email, password, nowMs) {
      const address = normalEmail(email)
      const row = await findByEmail(db, address)
      const matches = await passwordMatches(row?.password_hash, password)
      return db.transaction().execute(async (tx) => {
        // Asked only now: of many guesses that were under way at once, those after the tenth failure are worth nothing.
        if (await isLockedOut(tx, address, nowMs)) return undefined
        if (row !== undefined && matches) {
          await forgetFailures(tx, address)
          return userOf(row)
        }
        await recordFailure(tx, address, nowMs)
        return undefined
      })
    },

    async setPassword(id, password) {
      const passwordHash = await hashPassword(password)
      return db.transaction().execute(async (tx) => {
        const change = tx.updateTable('users').set({ password_hash: passwordHash }).where('id', '=', id)
        const row = await change.returning('email').executeTakeFirst()
        if (row === undefined) return false
        await forgetFailures(tx, row.email)
        await tx.deleteFrom('oidc_payloads').where('account_id', '=', id).execute()
        return true
      })
    },

    async remove(id) {
      return db.transaction().execute(async (tx) => {
        const row = await tx.deleteFrom('users').where('id', '=', id).returning('email').executeTakeFirst()
        if (row === undefined) return false
        await forgetFailures(tx, row.email)
        await tx.deleteFrom('oidc_payloads').where('account_id', '=', id).execute()
        // Whoever is given the same address later starts without the roles of the one who left.
        await tx.deleteFrom('members').where('subject', 'in', [id, row.email]).execute()
        return true
      })
    },
  }
}

async function findByEmail(db: ControlDatabase, email: string): Promise<UserRow | undefined> {
  if (email.length > EMAIL_CHARS_MAX || /[\0\p{Surrogate}]/u.test(email)) return undefined
  return db.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst()
}

function normalEmail(email: string): string {
  return email.trim().toLowerCase()
}

function userOf(row: UserRow): User {
  return { id: row.id, email: row.email, name: row.name, admin: row.admin === 1, createdAtMs: row.created_at_ms }
}
