import type { EventMemory } from '../event-memory.ts'
import type { ControlDatabase } from './database.ts'
import { inPortions } from './in-portions.ts'

export function createEventMemory(db: ControlDatabase): EventMemory {
  return { ...createHours(db), ...createSightings(db) }
}

type Hours = Pick<EventMemory, 'hours' | 'state' | 'stateBefore' | 'putHours' | 'dropStates' | 'forgetHours'>

function createHours(db: ControlDatabase): Hours {
  const ofGrid = (gridId: string) => db.selectFrom('event_hours').where('grid_id', '=', gridId.toLowerCase())
  return {
    async hours(gridId) {
      const query = ofGrid(gridId).select(['hour_start_ms as hourStartMs', 'version'])
      return await query.orderBy('hour_start_ms').execute()
    },

    async state(gridId, hourStartMs) {
      const row = await ofGrid(gridId).select('state').where('hour_start_ms', '=', hourStartMs).executeTakeFirst()
      return row?.state ?? undefined
    },

    async stateBefore(gridId, hourStartMs) {
      const row = await ofGrid(gridId)
        .select(['hour_start_ms', 'state'])
        .where('hour_start_ms', '<', hourStartMs)
        .where('state', 'is not', null)
        .orderBy('hour_start_ms', 'desc')
        .executeTakeFirst()
      return row?.state == null ? undefined : { hourStartMs: row.hour_start_ms, state: row.state }
    },

    async putHours(gridId, hours) {
      await db.transaction().execute(async (tx) => {
        for (const { hourStartMs, version, state = null } of hours) {
          await tx
            .insertInto('event_hours')
            .values({ grid_id: gridId.toLowerCase(), hour_start_ms: hourStartMs, version, state })
            .onConflict((conflict) => conflict.columns(['grid_id', 'hour_start_ms']).doUpdateSet({ version, state }))
            .execute()
        }
      })
    },

    async dropStates(gridId, hourStartsMs) {
      await inPortions(hourStartsMs, (portion) =>
        db
          .updateTable('event_hours')
          .set({ state: null })
          .where('grid_id', '=', gridId.toLowerCase())
          .where('hour_start_ms', 'in', portion)
          .execute(),
      )
    },

    async forgetHours(gridId, hourStartsMs) {
      await inPortions(hourStartsMs, (portion) =>
        db
          .deleteFrom('event_hours')
          .where('grid_id', '=', gridId.toLowerCase())
          .where('hour_start_ms', 'in', portion)
          .execute(),
      )
    },
  }
}

type Sightings = Pick<EventMemory, 'sightings' | 'putSightings' | 'forgetSightings'>

function createSightings(db: ControlDatabase): Sightings {
  return {
    async sightings(gridId) {
      return await db
        .selectFrom('event_sightings')
        .select([
          'service_name as serviceName',
          'operation_name as operationName',
          'first_ms as firstMs',
          'last_ms as lastMs',
        ])
        .where('grid_id', '=', gridId.toLowerCase())
        .orderBy('first_ms')
        .orderBy('service_name')
        .orderBy('operation_name')
        .execute()
    },

    async putSightings(gridId, sightings) {
      await db.transaction().execute(async (tx) => {
        for (const { serviceName, operationName, firstMs, lastMs } of sightings) {
          const times = { first_ms: firstMs, last_ms: lastMs }
          await tx
            .insertInto('event_sightings')
            .values({
              grid_id: gridId.toLowerCase(),
              service_name: serviceName,
              operation_name: operationName,
              ...times,
            })
            .onConflict((conflict) =>
              conflict.columns(['grid_id', 'service_name', 'operation_name']).doUpdateSet(times),
            )
            .execute()
        }
      })
    },

    async forgetSightings(gridId, sightings) {
      await db.transaction().execute(async (tx) => {
        for (const { serviceName, operationName } of sightings) {
          await tx
            .deleteFrom('event_sightings')
            .where('grid_id', '=', gridId.toLowerCase())
            .where('service_name', '=', serviceName)
            .where('operation_name', '=', operationName)
            .execute()
        }
      })
    },
  }
}
