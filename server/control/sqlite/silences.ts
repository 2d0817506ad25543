import { randomUUID } from 'node:crypto'
import type { Selectable } from 'kysely'
import { CHANNEL_LIMITS } from '../../domain/notification-channel.ts'
import type { Silence, SilenceStore } from '../notification-store.ts'
import { RecordRefused } from '../record-refused.ts'
import type { ControlTables } from '../tables.ts'
import { translatingConstraints } from './constraint-errors.ts'
import type { ControlDatabase } from './database.ts'

type SilenceRow = Selectable<ControlTables['silences']>

export function createSilences(db: ControlDatabase): SilenceStore {
  const silencesOf = (gridId: string) => db.selectFrom('silences').selectAll().where('grid_id', '=', gridId)

  return {
    async create(gridId, silence, nowMs) {
      const row: SilenceRow = {
        id: randomUUID(),
        grid_id: gridId,
        rule_id: silence.ruleId,
        service_name: silence.serviceName,
        reason: silence.reason,
        created_by: silence.createdBy,
        starts_at_ms: silence.startsAtMs,
        ends_at_ms: silence.endsAtMs,
      }
      const made = db.transaction().execute(async (tx) => {
        const ofGrid = tx.deleteFrom('silences').where('grid_id', '=', gridId)
        await ofGrid.where('ends_at_ms', '<=', nowMs).execute()
        const counted = tx.selectFrom('silences').select(({ fn }) => fn.countAll<number>().as('count'))
        const { count } = await counted.where('grid_id', '=', gridId).executeTakeFirstOrThrow()
        const { silencesPerGridMax } = CHANNEL_LIMITS
        if (count >= silencesPerGridMax)
          throw new RecordRefused(`A Grid may have at most ${silencesPerGridMax} silences at once.`)
        await tx.insertInto('silences').values(row).execute()
      })
      await translatingConstraints('There is such a silence.', made)
      return silenceOf(row)
    },

    async list(gridId, endingAfterMs) {
      const lasting = silencesOf(gridId).where('ends_at_ms', '>', endingAfterMs)
      return (await lasting.orderBy('ends_at_ms').orderBy('id').execute()).map(silenceOf)
    },

    async end(gridId, id, nowMs) {
      const ended = db.updateTable('silences').set({ ends_at_ms: nowMs }).where('grid_id', '=', gridId)
      const result = await ended.where('id', '=', id).where('ends_at_ms', '>', nowMs).executeTakeFirst()
      return result.numUpdatedRows > 0n
    },
  }
}

function silenceOf(row: SilenceRow): Silence {
  return {
    id: row.id,
    gridId: row.grid_id,
    ruleId: row.rule_id,
    serviceName: row.service_name,
    reason: row.reason,
    createdBy: row.created_by,
    startsAtMs: row.starts_at_ms,
    endsAtMs: row.ends_at_ms,
  }
}
