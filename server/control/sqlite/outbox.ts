import type { Insertable, Transaction } from 'kysely'
import type { Outbox } from '../notification-store.ts'
import type { ControlTables } from '../tables.ts'
import { channelOf, deliveryOf } from './channel-row.ts'
import type { ControlDatabase } from './database.ts'

type Tx = Transaction<ControlTables>

const LIMITS = { waitingPerChannelMax: 1000, settledPerChannelMax: 500 }

export function createOutbox(db: ControlDatabase, limits = LIMITS): Outbox {
  return {
    async due(nowMs, except, limit) {
      const rows = await db
        .with('heads', (heads) =>
          heads
            .selectFrom('deliveries')
            .select(({ fn }) => ['channel_id', fn.min('number').as('number')])
            .where('state', '=', 'waiting')
            .groupBy('channel_id'),
        )
        .selectFrom('heads')
        .innerJoin('deliveries', 'deliveries.number', 'heads.number')
        .innerJoin('channels', 'channels.id', 'heads.channel_id')
        .selectAll('channels')
        .select(['deliveries.id as delivery_id', 'deliveries.created_at_ms as put_at_ms'])
        .select(['deliveries.attempts', 'deliveries.alerts', 'deliveries.message'])
        .where('deliveries.next_attempt_at_ms', '<=', nowMs)
        .where('heads.channel_id', 'not in', except)
        .orderBy('deliveries.next_attempt_at_ms')
        .limit(limit)
        .execute()
      return rows.map((row) => ({
        id: row.delivery_id,
        channel: channelOf(row),
        secret: row.secret,
        createdAtMs: row.put_at_ms,
        attempts: row.attempts,
        alerts: JSON.parse(row.alerts),
        message: row.message,
      }))
    },

    async settle(id, alertCount, message) {
      const waiting = db.updateTable('deliveries').set({ message }).where('id', '=', id).where('state', '=', 'waiting')
      return (await waiting.where('alert_count', '=', alertCount).executeTakeFirst()).numUpdatedRows > 0n
    },

    async note(id, { delivered, statusCode, error }, nowMs, nextAttemptAtMs) {
      await db.transaction().execute(async (tx) => {
        const row = await tx
          .updateTable('deliveries')
          .set(({ eb }) => ({
            attempts: eb('attempts', '+', 1),
            last_attempt_at_ms: nowMs,
            next_attempt_at_ms: nextAttemptAtMs,
            status_code: statusCode,
            error,
            ...(delivered && { state: 'delivered', delivered_at_ms: nowMs, message: null }),
          }))
          .where('id', '=', id)
          .returning('channel_id')
          .executeTakeFirst()
        if (row && delivered) await forgetOldest(tx, row.channel_id, limits.settledPerChannelMax)
      })
    },

    async noteTest(channel, id, { delivered, statusCode, error }, nowMs) {
      const row = {
        id,
        channel_id: channel.id,
        kind: 'test',
        state: delivered ? 'delivered' : 'given up',
        alerts: '[]',
        alert_count: 0,
        message: null,
        created_at_ms: nowMs,
        attempts: 1,
        last_attempt_at_ms: nowMs,
        next_attempt_at_ms: nowMs,
        delivered_at_ms: delivered ? nowMs : null,
        status_code: statusCode,
        error,
      } satisfies Insertable<ControlTables['deliveries']>
      await db.transaction().execute(async (tx) => {
        await tx.insertInto('deliveries').values(row).execute()
        await forgetOldest(tx, channel.id, limits.settledPerChannelMax)
      })
      return deliveryOf({ ...row, number: 0 })
    },

    async waiting() {
      const query = db.selectFrom('deliveries').where('state', '=', 'waiting')
      const { n } = await query.select(({ fn }) => fn.countAll<number>().as('n')).executeTakeFirstOrThrow()
      return Number(n)
    },

    async giveUp(createdBeforeMs) {
      return db.transaction().execute(async (tx) => {
        const waiting = await tx
          .selectFrom('deliveries')
          .innerJoin('channels', 'channels.id', 'deliveries.channel_id')
          .selectAll('channels')
          .select(({ fn }) => [fn.countAll<number>().as('count'), fn.min('deliveries.created_at_ms').as('oldest_ms')])
          .where('state', '=', 'waiting')
          .groupBy('channels.id')
          .execute()
        const givenUp = []
        for (const { count, oldest_ms, ...row } of waiting) {
          if (oldest_ms >= createdBeforeMs && count <= limits.waitingPerChannelMax) continue
          givenUp.push({
            channel: channelOf(row),
            count: await giveUpOf(tx, row.id, createdBeforeMs, limits.waitingPerChannelMax),
          })
          await forgetOldest(tx, row.id, limits.settledPerChannelMax)
        }
        return givenUp
      })
    },
  }
}

async function giveUpOf(tx: Tx, channelId: string, createdBeforeMs: number, keptMax: number): Promise<number> {
  const ofChannel = tx.selectFrom('deliveries').select('number').where('channel_id', '=', channelId)
  const kept = ofChannel.where('state', '=', 'waiting').orderBy('number', 'desc').limit(keptMax)
  const result = await tx
    .updateTable('deliveries')
    .set({ state: 'given up', message: null })
    .where('channel_id', '=', channelId)
    .where('state', '=', 'waiting')
    .where((eb) => eb.or([eb('created_at_ms', '<', createdBeforeMs), eb('number', 'not in', kept)]))
    .executeTakeFirst()
  return Number(result.numUpdatedRows)
}

/** The log of a channel is as long as this, and what waits is not in it. */
async function forgetOldest(tx: Tx, channelId: string, keptMax: number): Promise<void> {
  const settled = tx.selectFrom('deliveries').select('number').where('channel_id', '=', channelId)
  const kept = settled.where('state', '<>', 'waiting').orderBy('number', 'desc').limit(keptMax)
  const old = tx.deleteFrom('deliveries').where('channel_id', '=', channelId).where('state', '<>', 'waiting')
  await old.where('number', 'not in', kept).execute()
}
