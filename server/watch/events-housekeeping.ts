import type { ControlStore, Grid } from '../control/control-store.ts'

const MS_PER_HOUR = 3_600_000
const MS_PER_DAY = 24 * MS_PER_HOUR
/** Late telemetry is mostly a little late: further back, one state a day is enough to start from. */
const HOURLY_STATES_MS = 2 * MS_PER_DAY

/** Forgets what is older than the Grid keeps, and most of what is only there to save time. */
export async function keepEventsSmall(
  { id, aggregateRetentionDays }: Pick<Grid, 'id' | 'aggregateRetentionDays'>,
  { events, eventMemory }: Pick<ControlStore, 'events' | 'eventMemory'>,
  nowMs: number,
): Promise<void> {
  const oldestMs = nowMs - aggregateRetentionDays * MS_PER_DAY
  await events.expire(id, oldestMs)
  const starts = (await eventMemory.hours(id)).map(({ hourStartMs }) => hourStartMs)
  // The last of them is where the search would begin again.
  const expired = starts.filter((startMs) => startMs < oldestMs).slice(0, -1)
  await eventMemory.forgetHours(id, expired)
  const old = starts.filter((startMs) => startMs >= oldestMs && startMs < nowMs - HOURLY_STATES_MS)
  await eventMemory.dropStates(
    id,
    old.filter((startMs) => startMs % MS_PER_DAY !== 0),
  )
  const sightings = await eventMemory.sightings(id)
  await eventMemory.forgetSightings(
    id,
    sightings.filter(({ lastMs }) => lastMs < oldestMs),
  )
}
