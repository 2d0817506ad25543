import { openDuckDbStore } from '../../server/storage/duckdb/duckdb-store.ts'
import { DEFAULT_DUCKDB_OPTIONS } from '../../server/storage/duckdb/options.ts'
import { madePoints } from './made-points.ts'
import type { MadeMonth, MonthOptions } from './month-options.ts'

const HOUR_S = 3600
const DAY_S = 24 * HOUR_S
const INTERVAL_S = 15

// A process of its own: the database lets go of its files only when the process ends.
const { folder, gridId, series, hours, fullHours, nowMs } = JSON.parse(process.argv[2] ?? '') as MonthOptions
const store = await openDuckDbStore({ ...DEFAULT_DUCKDB_OPTIONS, folder, warn: (message) => console.error(message) })
const firstHourS = (Math.floor(nowMs / 1000 / HOUR_S) - hours) * HOUR_S
const fullDayS = (Math.floor(firstHourS / DAY_S) - 1) * DAY_S
const startS = fullDayS - HOUR_S
let points = 0
let writtenMs = 0

async function write(atSecond: number): Promise<void> {
  const beganMs = performance.now()
  await store.writeMetrics(gridId, madePoints(series, atSecond, startS))
  writtenMs += performance.now() - beganMs
  points += series
}

/** Long after the last hour: all of them are closed. */
async function closeHours(): Promise<number> {
  await store.settle()
  const beganMs = performance.now()
  await store.compact(nowMs + DAY_S * 1000)
  return performance.now() - beganMs
}

for (let i = 0; i < fullHours * (HOUR_S / INTERVAL_S); i++) await write(fullDayS + i * INTERVAL_S)
const fullHoursClosedMs = await closeHours()
for (let hour = 0; hour < hours; hour++) await write(firstHourS + hour * HOUR_S + 60 * (hour % 59))
const closedMs = await closeHours()
await store.close()
process.send?.({ points, writtenMs, closedMs, fullHoursClosedMs } satisfies MadeMonth)
process.disconnect()
