import { copyFile } from 'node:fs/promises'
import { DuckDBInstance } from '@duckdb/node-api'
import type { DuckDbStore } from '../../server/storage/duckdb/duckdb-store.ts'
import { hourFilePath, openLayout } from '../../server/storage/duckdb/layout.ts'
import { openDuckDbStore } from '../../server/storage/duckdb/open-duckdb-store.ts'
import { DEFAULT_DUCKDB_OPTIONS } from '../../server/storage/duckdb/options.ts'
import { pointOfEachSeries, pointsSql } from './made-points.ts'
import type { MadeMonth, MonthOptions } from './month-options.ts'

const HOUR_S = 3600
const HOURS_PER_DAY = 24
const INTERVAL_S = 15

// A process of its own: the database lets go of its files only when the process ends. The store makes one hour as it would make
// any; the others are copies of it with other points, and the store rolls all of them up.
const { folder, gridId, series, hours, fullHours, nowMs } = JSON.parse(process.argv[2] ?? '') as MonthOptions
const firstHour = Math.floor(nowMs / 1000 / HOUR_S) - hours
const firstFullHour = (Math.floor(firstHour / HOURS_PER_DAY) - 1) * HOURS_PER_DAY
/** All hours are closed by then. */
const LONG_AFTER_MS = nowMs + HOURS_PER_DAY * HOUR_S * 1000
const layout = await openLayout(folder)

async function withStore<T>(work: (store: DuckDbStore) => Promise<T>): Promise<T> {
  const store = await openDuckDbStore({ ...DEFAULT_DUCKDB_OPTIONS, folder, warn: (message) => console.error(message) })
  return await work(store).finally(() => store.close())
}

async function rollUp(): Promise<number> {
  return await withStore(async (store) => {
    const beganMs = performance.now()
    await store.compact(LONG_AFTER_MS)
    return performance.now() - beganMs
  })
}

function pathOf(hour: number): string {
  return hourFilePath(layout, gridId, hour, 2, false)
}

async function makeHours(wanted: number[], count: number): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:', { threads: '2' })
  const connection = await instance.connect()
  for (const [i, hour] of wanted.entries()) {
    await copyFile(pathOf(firstHour), pathOf(hour))
    await connection.run(`ATTACH '${pathOf(hour)}' AS hour_${i}`)
    const fromS = hour * HOUR_S + (count === 1 ? 60 * (hour % 59) : 0)
    const startS = firstFullHour * HOUR_S
    await connection.run(pointsSql(`hour_${i}`, { fromS, count, everyS: INTERVAL_S, startS }))
    await connection.run(`CHECKPOINT hour_${i}; DETACH hour_${i}`)
  }
  connection.disconnectSync()
  instance.closeSync()
}

const range = (from: number, length: number) => Array.from({ length }, (_, i) => from + i)

await withStore(async (store) => {
  await store.writeMetrics(gridId, pointOfEachSeries(series, BigInt(firstHour * HOUR_S) * 1_000_000_000n))
  await store.settle()
  await store.compact(LONG_AFTER_MS)
})
await makeHours(range(firstFullHour, fullHours), HOUR_S / INTERVAL_S)
const fullHoursRolledMs = await rollUp()
await makeHours(range(firstHour + 1, hours - 1), 1)
const rolledMs = await rollUp()
const points = series * (hours + (fullHours * HOUR_S) / INTERVAL_S)
process.send?.({ points, rolledMs, fullHoursRolledMs } satisfies MadeMonth)
process.disconnect()
