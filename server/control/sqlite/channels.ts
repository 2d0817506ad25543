import { randomUUID } from 'node:crypto'
import type { Transaction } from 'kysely'
import { CHANNEL_LIMITS } from '../../domain/notification-channel.ts'
import type { ChannelStore } from '../notification-store.ts'
import { RecordRefused } from '../record-refused.ts'
import type { ControlTables } from '../tables.ts'
import { type ChannelRow, channelOf, deliveryOf } from './channel-row.ts'
import { translatingConstraints } from './constraint-errors.ts'
import type { ControlDatabase } from './database.ts'

type Tx = Transaction<ControlTables>

export function createChannels(db: ControlDatabase): ChannelStore {
  const channelsOf = (gridId: string) => db.selectFrom('channels').where('grid_id', '=', gridId)

  return {
    async create(gridId, { name, target, secret }) {
      const nowMs = Date.now()
      const row: ChannelRow = {
        id: randomUUID(),
        grid_id: gridId,
        name,
        target: JSON.stringify(target),
        secret,
        created_at_ms: nowMs,
        updated_at_ms: nowMs,
      }
      const made = db.transaction().execute(async (tx) => {
        await refuseTooMany(tx, gridId)
        await tx.insertInto('channels').values(row).execute()
      })
      await translatingConstraints(takenBy(name), made)
      return channelOf(row)
    },

    async find(gridId, id) {
      const row = await channelsOf(gridId).selectAll().where('id', '=', id).executeTakeFirst()
      return row && channelOf(row)
    },

    async list(gridId) {
      return (await channelsOf(gridId).selectAll().orderBy('name').execute()).map(channelOf)
    },

    async update(gridId, id, { name, target, secret }, nowMs) {
      const changed = db.transaction().execute(async (tx) => {
        const change = { name, target: JSON.stringify(target), updated_at_ms: nowMs, ...(secret && { secret }) }
        const query = tx.updateTable('channels').set(change).where('grid_id', '=', gridId).where('id', '=', id)
        const row = await query.returningAll().executeTakeFirst()
        const waiting = tx.updateTable('deliveries').set({ next_attempt_at_ms: nowMs }).where('state', '=', 'waiting')
        if (row) await waiting.where('channel_id', '=', id).execute()
        return row && channelOf(row)
      })
      return translatingConstraints(takenBy(name), changed)
    },

    async remove(gridId, id) {
      return db.transaction().execute(async (tx) => {
        const channel = tx.deleteFrom('channels').where('grid_id', '=', gridId).where('id', '=', id)
        if ((await channel.executeTakeFirst()).numDeletedRows === 0n) return false
        await removeFromRules(tx, gridId, id)
        return true
      })
    },

    async secretOf(gridId, id) {
      return (await channelsOf(gridId).select('secret').where('id', '=', id).executeTakeFirst())?.secret
    },

    async deliveries(gridId, id, { offset, limit }) {
      const channel = channelsOf(gridId).select('id').where('id', '=', id)
      const matching = db.selectFrom('deliveries').where('channel_id', 'in', channel)
      const { count } = await matching.select(({ fn }) => fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
      const rows = await matching.selectAll().orderBy('number', 'desc').limit(limit).offset(offset).execute()
      return { items: rows.map(deliveryOf), totalCount: count }
    },
  }
}

function takenBy(name: string): string {
  return `There is already a channel called ${name}.`
}

async function refuseTooMany(tx: Tx, gridId: string): Promise<void> {
  const { channelsPerGridMax } = CHANNEL_LIMITS
  const query = tx.selectFrom('channels').select(({ fn }) => fn.countAll<number>().as('count'))
  const { count } = await query.where('grid_id', '=', gridId).executeTakeFirstOrThrow()
  if (count >= channelsPerGridMax) throw new RecordRefused(`A Grid may have at most ${channelsPerGridMax} channels.`)
}

async function removeFromRules(tx: Tx, gridId: string, channelId: string): Promise<void> {
  const rules = await tx.selectFrom('alert_rules').select(['id', 'channels']).where('grid_id', '=', gridId).execute()
  for (const { id, channels } of rules) {
    const kept = (JSON.parse(channels) as string[]).filter((each) => each !== channelId)
    await tx
      .updateTable('alert_rules')
      .set({ channels: JSON.stringify(kept) })
      .where('id', '=', id)
      .execute()
  }
}
