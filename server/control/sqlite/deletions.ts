import { randomUUID } from 'node:crypto'
import { type Selectable, sql, type Transaction } from 'kysely'
import { DELETION_LIMITS, type Deletion, type DeletionState, type DeletionStore } from '../deletion-store.ts'
import { RecordRefused } from '../record-refused.ts'
import type { ControlTables } from '../tables.ts'
import { translatingConstraints } from './constraint-errors.ts'
import type { ControlDatabase } from './database.ts'

type DeletionRow = Selectable<ControlTables['deletions']>
type Tx = Transaction<ControlTables>

const ERROR_CHARS_MAX = 500

export function createDeletions(db: ControlDatabase): DeletionStore {
  const ofGrid = (gridId: string) => db.selectFrom('deletions').where('grid_id', '=', gridId)
  const change = (id: string) => db.updateTable('deletions').where('id', '=', id)

  return {
    async create(gridId, { attribute, value, signals, requestedBy }, nowMs) {
      const made = db.transaction().execute(async (tx) => {
        await refuseTooMany(tx, gridId)
        const row = {
          ...{ id: randomUUID(), grid_id: gridId, attribute, value, signals: JSON.stringify(signals) },
          ...{ state: 'waiting', requested_by: requestedBy, created_at_ms: nowMs, error: '' },
          ...{ hours_done: 0, spans: 0, log_records: 0, metric_points: 0 },
        }
        return await tx.insertInto('deletions').values(row).returningAll().executeTakeFirstOrThrow()
      })
      return deletionOf(await translatingConstraints('There is such a deletion.', made))
    },

    async find(gridId, id) {
      const row = await ofGrid(gridId).selectAll().where('id', '=', id).executeTakeFirst()
      return row && deletionOf(row)
    },

    async list(gridId, { offset, limit }) {
      const counted = ofGrid(gridId).select(({ fn }) => fn.countAll<number>().as('count'))
      const { count } = await counted.executeTakeFirstOrThrow()
      const page = ofGrid(gridId).selectAll().orderBy('number', 'desc').offset(offset).limit(limit)
      return { items: (await page.execute()).map(deletionOf), totalCount: count }
    },

    async next() {
      const unfinished = db.selectFrom('deletions').selectAll().where('state', '<>', 'finished')
      const row = await unfinished.orderBy('number').limit(1).executeTakeFirst()
      return row && { ...deletionOf(row), value: row.value ?? '' }
    },

    async begin(id, hoursTotal, nowMs) {
      const startedAt = sql<number>`coalesce(started_at_ms, ${nowMs})`
      const begun = { state: 'running', hours_done: 0, hours_total: hoursTotal, started_at_ms: startedAt, error: '' }
      await change(id).set(begun).execute()
    },

    async hourDone(id, { spans, logRecords, metricPoints }) {
      await change(id)
        .set((row) => ({
          hours_done: row('hours_done', '+', 1),
          spans: row('spans', '+', spans),
          log_records: row('log_records', '+', logRecords),
          metric_points: row('metric_points', '+', metricPoints),
        }))
        .execute()
    },

    async failed(id, error) {
      await change(id)
        .set({ error: error.slice(0, ERROR_CHARS_MAX) })
        .execute()
    },

    async finish(id, nowMs) {
      await db.transaction().execute(async (tx) => {
        const row = await tx.selectFrom('deletions').selectAll().where('id', '=', id).executeTakeFirst()
        if (row) await forgetFindings(tx, row)
        const finished = { state: 'finished', finished_at_ms: nowMs, value: null, error: '' }
        await tx.updateTable('deletions').set(finished).where('id', '=', id).execute()
      })
      // What the log still has of it would stay until other changes take its place.
      await sql`pragma wal_checkpoint(truncate)`.execute(db)
    },
  }
}

/** Shorter values stand in names of all kinds by chance. */
const TELLING_CHARS_MIN = 4

/** Events, the memory of how they were found, and messages that tell of the value. */
async function forgetFindings(tx: Tx, { grid_id: gridId, attribute, value }: DeletionRow): Promise<void> {
  if (value === null || value === '') return
  const escaped = JSON.stringify(value).slice(1, -1)
  const has = (column: string, text: string) => sql<boolean>`instr(${sql.ref(column)}, ${text}) > 0`
  const told = sql<boolean>`(${has('description', value)} or ${has('details', escaped)})`
  const events = tx.deleteFrom('events').where('grid_id', '=', gridId).where(told)
  const isVersion = attribute === 'service.version'
  await events.where(isVersion ? sql<boolean>`type = 'deployment'` : has('details', attribute)).execute()
  const hours = tx.deleteFrom('event_hours').where('grid_id', '=', gridId)
  await hours.where(sql<boolean>`(${has('state', value)} or ${has('state', escaped)})`).execute()
  const sent = tx.updateTable('deliveries').set({ message: null }).where('state', '<>', 'waiting')
  const channels = tx.selectFrom('channels').select('id').where('grid_id', '=', gridId)
  await sent.where('channel_id', 'in', channels).where(has('message', escaped)).execute()
  if (value.length < TELLING_CHARS_MIN) return
  const sightings = tx.deleteFrom('event_sightings').where('grid_id', '=', gridId)
  await sightings.where(sql<boolean>`(${has('service_name', value)} or ${has('operation_name', value)})`).execute()
  await events.where(sql<boolean>`type in ('new_service', 'new_endpoint')`).execute()
}

async function refuseTooMany(tx: Tx, gridId: string): Promise<void> {
  const { unfinishedPerGridMax } = DELETION_LIMITS
  const query = tx.selectFrom('deletions').select(({ fn }) => fn.countAll<number>().as('count'))
  const unfinished = query.where('grid_id', '=', gridId).where('state', '<>', 'finished')
  const { count } = await unfinished.executeTakeFirstOrThrow()
  if (count >= unfinishedPerGridMax)
    throw new RecordRefused(`A Grid may have at most ${unfinishedPerGridMax} deletions that are not finished.`)
}

function deletionOf(row: DeletionRow): Deletion {
  return {
    id: row.id,
    gridId: row.grid_id,
    attribute: row.attribute,
    signals: JSON.parse(row.signals),
    state: row.state as DeletionState,
    requestedBy: row.requested_by,
    createdAtMs: row.created_at_ms,
    startedAtMs: row.started_at_ms,
    finishedAtMs: row.finished_at_ms,
    hoursDone: row.hours_done,
    hoursTotal: row.hours_total,
    spans: row.spans,
    logRecords: row.log_records,
    metricPoints: row.metric_points,
    error: row.error,
  }
}
