import type { Selectable } from 'kysely'
import type { ControlStore, EventSeverity, EventType, GridEvent, RecordedEvent } from '../control-store.ts'
import { PROVISIONAL_MS } from '../control-store.ts'
import type { ControlTables } from '../tables.ts'
import { translatingConstraints } from './constraint-errors.ts'
import type { ControlDatabase } from './database.ts'
import { inPortions } from './in-portions.ts'

type EventRow = Selectable<ControlTables['events']>

/** A day has a few dozen of them; of more than this the oldest are left out. */
const LISTED_MAX = 10_000

export function createEvents(db: ControlDatabase): ControlStore['events'] {
  const ofGrid = (gridId: string) => db.selectFrom('events').selectAll().where('grid_id', '=', gridId.toLowerCase())

  return {
    async record(gridId, events, nowMs) {
      const rows = events.map((event) => rowOf(gridId, { ...event, source: '' }, nowMs))
      await translatingConstraints(
        'This event exists.',
        db.transaction().execute((tx) =>
          inPortions(rows, (portion) =>
            tx
              .insertInto('events')
              .values(portion)
              .onConflict((conflict) => conflict.columns(['grid_id', 'key']).doNothing())
              .execute(),
          ),
        ),
      )
    },

    async list(gridId, { startMs, endMs }) {
      const inRange = ofGrid(gridId).where('at_ms', '>=', startMs).where('at_ms', '<', endMs)
      const rows = await inRange.orderBy('at_ms', 'desc').orderBy('key', 'desc').limit(LISTED_MAX).execute()
      return rows.reverse().map(eventOf)
    },

    async recorded(gridId, { sources, startMs, endMs }) {
      const found = new Map<string, EventRow>()
      const keep = (rows: EventRow[]) => {
        for (const row of rows) found.set(row.key, row)
      }
      keep(await ofGrid(gridId).where('at_ms', '>=', startMs).where('at_ms', '<', endMs).execute())
      await inPortions(sources, async (portion) => keep(await ofGrid(gridId).where('source', 'in', portion).execute()))
      return [...found.values()].sort(byTime).map(recordedOf)
    },

    async revise(gridId, { put, withdraw }, nowMs) {
      const settledMs = nowMs - PROVISIONAL_MS
      const rows = put.map((event) => rowOf(gridId, event, nowMs))
      const work = db.transaction().execute(async (tx) => {
        await inPortions(withdraw, (keys) =>
          tx
            .deleteFrom('events')
            .where('grid_id', '=', gridId.toLowerCase())
            .where('key', 'in', keys)
            .where('recorded_at_ms', '>', settledMs)
            .execute(),
        )
        for (const row of rows) {
          const { grid_id, key, recorded_at_ms, ...changing } = row
          await tx
            .insertInto('events')
            .values(row)
            .onConflict((conflict) =>
              conflict.columns(['grid_id', 'key']).doUpdateSet(changing).where('events.recorded_at_ms', '>', settledMs),
            )
            .execute()
        }
      })
      await translatingConstraints('This event exists.', work)
    },

    async expire(gridId, beforeMs) {
      await db.deleteFrom('events').where('grid_id', '=', gridId.toLowerCase()).where('at_ms', '<', beforeMs).execute()
    },
  }
}

function byTime(a: EventRow, b: EventRow): number {
  return a.at_ms - b.at_ms || (a.key < b.key ? -1 : 1)
}

function rowOf(gridId: string, event: GridEvent & { source: string }, nowMs: number): EventRow {
  return {
    grid_id: gridId.toLowerCase(),
    key: event.key,
    at_ms: event.atMs,
    type: event.type,
    severity: event.severity,
    service_name: event.serviceName,
    description: event.description,
    details: JSON.stringify(event.details),
    source: event.source,
    recorded_at_ms: nowMs,
  }
}

function eventOf(row: EventRow): GridEvent {
  return {
    key: row.key,
    atMs: row.at_ms,
    type: row.type as EventType,
    severity: row.severity as EventSeverity,
    serviceName: row.service_name,
    description: row.description,
    details: JSON.parse(row.details),
  }
}

function recordedOf(row: EventRow): RecordedEvent {
  return { ...eventOf(row), source: row.source, recordedAtMs: row.recorded_at_ms }
}
