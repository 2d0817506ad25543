import type { Selectable } from 'kysely'
import { type ControlStore, type Member, ROLES, type Role } from '../control-store.ts'
import type { ControlTables } from '../tables.ts'
import { translatingConstraints } from './constraint-errors.ts'
import type { ControlDatabase } from './database.ts'

type MemberRow = Selectable<ControlTables['members']>

export function createMembers(db: ControlDatabase): ControlStore['members'] {
  return {
    async put({ gridId, subject, role }) {
      const row: MemberRow = {
        grid_id: gridId.toLowerCase(),
        subject: normalSubject(subject),
        role,
        created_at_ms: Date.now(),
      }
      const query = db
        .insertInto('members')
        .values(row)
        .onConflict((conflict) => conflict.columns(['grid_id', 'subject']).doUpdateSet({ role }))
        .returningAll()
      return memberOf(await translatingConstraints('This member exists.', query.executeTakeFirstOrThrow()))
    },

    async roleOf(gridId, subjects) {
      if (subjects.length === 0) return undefined
      const rows = await db
        .selectFrom('members')
        .select('role')
        .where('grid_id', '=', gridId.toLowerCase())
        .where('subject', 'in', subjects.map(normalSubject))
        .execute()
      return ROLES.find((role) => rows.some((row) => row.role === role))
    },

    async list(gridId) {
      const query = db.selectFrom('members').selectAll().where('grid_id', '=', gridId.toLowerCase())
      const rows = await query.orderBy('created_at_ms').orderBy('subject').execute()
      return rows.map(memberOf)
    },

    async listGridsOf(subjects) {
      if (subjects.length === 0) return []
      const query = db.selectFrom('members').selectAll().where('subject', 'in', subjects.map(normalSubject))
      const rows = await query.orderBy('created_at_ms').orderBy('grid_id').execute()
      return rows.map(memberOf)
    },

    async remove(gridId, subject) {
      const result = await db
        .deleteFrom('members')
        .where('grid_id', '=', gridId.toLowerCase())
        .where('subject', '=', normalSubject(subject))
        .executeTakeFirst()
      return result.numDeletedRows > 0n
    },
  }
}

/** Addresses are the same in any letter case, other subjects are not. */
function normalSubject(subject: string): string {
  return subject.includes('@') ? subject.toLowerCase() : subject
}

function memberOf(row: MemberRow): Member {
  return { gridId: row.grid_id, subject: row.subject, role: row.role as Role, createdAtMs: row.created_at_ms }
}
