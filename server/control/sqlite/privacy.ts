import { randomBytes, randomUUID } from 'node:crypto'
import type { Insertable, Selectable, Transaction } from 'kysely'
import {
  PRIVACY_LIMITS,
  type PrivacyAction,
  type PrivacyPreset,
  type PrivacyRule,
  type PrivacyRuleSettings,
} from '../../domain/privacy-rule.ts'
import type { PrivacyStore } from '../privacy-store.ts'
import { RecordRefused } from '../record-refused.ts'
import type { ControlTables } from '../tables.ts'
import { translatingConstraints } from './constraint-errors.ts'
import type { ControlDatabase } from './database.ts'

type RuleRow = Selectable<ControlTables['privacy_rules']>
type Tx = Transaction<ControlTables>

export function createPrivacy(db: ControlDatabase): PrivacyStore {
  const rulesOf = (gridId: string) => db.selectFrom('privacy_rules').selectAll().where('grid_id', '=', gridId)

  return {
    async create(gridId, rule) {
      const nowMs = Date.now()
      const row: Insertable<ControlTables['privacy_rules']> = {
        id: randomUUID(),
        grid_id: gridId,
        ...columnsOf(rule),
        created_at_ms: nowMs,
        updated_at_ms: nowMs,
      }
      const made = db.transaction().execute(async (tx) => {
        await refuseTooMany(tx, gridId)
        return await tx.insertInto('privacy_rules').values(row).returningAll().executeTakeFirstOrThrow()
      })
      return ruleOf(await translatingConstraints(takenBy(rule.name), made))
    },

    async find(gridId, id) {
      const row = await rulesOf(gridId).where('id', '=', id).executeTakeFirst()
      return row && ruleOf(row)
    },

    async list(gridId) {
      return (await rulesOf(gridId).orderBy('number').execute()).map(ruleOf)
    },

    async update(gridId, id, rule, nowMs) {
      const change = { ...columnsOf(rule), updated_at_ms: nowMs }
      const changed = db.updateTable('privacy_rules').set(change).where('grid_id', '=', gridId).where('id', '=', id)
      const row = await translatingConstraints(takenBy(rule.name), changed.returningAll().executeTakeFirst())
      return row && ruleOf(row)
    },

    async remove(gridId, id) {
      const rule = db.deleteFrom('privacy_rules').where('grid_id', '=', gridId).where('id', '=', id)
      return (await rule.executeTakeFirst()).numDeletedRows > 0n
    },

    async policy(gridId) {
      const rules = await this.list(gridId)
      return { rules, hashSecret: rules.length > 0 ? await madeSecret(db, gridId) : '' }
    },

    hashSecretOf: (gridId) => secretOf(db, gridId),
  }
}

async function secretOf(db: ControlDatabase, gridId: string): Promise<string | undefined> {
  const known = db.selectFrom('privacy_secrets').select('secret').where('grid_id', '=', gridId)
  return (await known.executeTakeFirst())?.secret
}

async function madeSecret(db: ControlDatabase, gridId: string): Promise<string> {
  const made = { grid_id: gridId, secret: randomBytes(32).toString('base64url') }
  await db
    .insertInto('privacy_secrets')
    .values(made)
    .onConflict((row) => row.doNothing())
    .execute()
  return (await secretOf(db, gridId)) ?? made.secret
}

function columnsOf({ name, key, pattern, preset, places, action, enabled }: PrivacyRuleSettings) {
  return { name, key, pattern, preset, places: JSON.stringify(places), action, enabled: enabled ? 1 : 0 }
}

function ruleOf(row: RuleRow): PrivacyRule {
  return {
    id: row.id,
    gridId: row.grid_id,
    name: row.name,
    key: row.key,
    pattern: row.pattern,
    preset: row.preset as PrivacyPreset | null,
    places: JSON.parse(row.places),
    action: row.action as PrivacyAction,
    enabled: row.enabled === 1,
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms,
  }
}

function takenBy(name: string): string {
  return `There is already a privacy rule called ${name}.`
}

async function refuseTooMany(tx: Tx, gridId: string): Promise<void> {
  const { rulesPerGridMax } = PRIVACY_LIMITS
  const query = tx.selectFrom('privacy_rules').select(({ fn }) => fn.countAll<number>().as('count'))
  const { count } = await query.where('grid_id', '=', gridId).executeTakeFirstOrThrow()
  if (count >= rulesPerGridMax) throw new RecordRefused(`A Grid may have at most ${rulesPerGridMax} privacy rules.`)
}
