import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterEach, expect, it } from 'vitest'
import type { RecordMatch } from '../../domain/record-match.ts'
import { MS_PER_HOUR, WHOLE_WINDOW } from '../conformance/test-time.ts'
import type { DuckDbStore } from './duckdb-store.ts'
import { GRID, TestStores, write } from './testing/test-store.ts'

const VALUE = 'a-value-like-no-other'
const MATCH: RecordMatch = { attribute: 'k', values: [VALUE], signals: ['traces', 'logs', 'metrics'] }
const CARRIED = { k: VALUE }

const stores = new TestStores()
afterEach(() => stores.dispose())

async function filesOf(folder: string): Promise<string[]> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true })
  return files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name))
}

/** Where the value is, in the bytes of files or in what the database reads from them. */
async function placesOf(folder: string, value: string): Promise<string[]> {
  const found: string[] = []
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  for (const path of await filesOf(folder)) {
    if ((await readFile(path)).includes(value)) found.push(path)
    if (!path.endsWith('.duckdb') || !path.includes('grids')) continue
    await connection.run(`ATTACH '${path}' AS hour (READ_ONLY)`)
    const texts = `SELECT table_name, column_name FROM duckdb_columns() WHERE database_name = 'hour' AND data_type = 'VARCHAR'`
    for (const [table, column] of (await connection.runAndReadAll(texts)).getRows()) {
      const rows = await connection.runAndReadAll(
        `SELECT count(*) FROM hour.${table} WHERE contains("${column}", '${value}')`,
      )
      if (Number(rows.getRows()[0]?.[0]) > 0) found.push(`${path} ${table}.${column}`)
    }
    await connection.run('DETACH hour')
  }
  connection.disconnectSync()
  return found
}

async function deleteAll(store: DuckDbStore): Promise<void> {
  for (const hour of await store.settledHours(GRID)) await store.deleteRecords(GRID, hour, MATCH)
}

/** Every text of a record that may hold what it carries. */
async function writeEverywhere(store: DuckDbStore): Promise<void> {
  for (const hour of [0, 1]) {
    const atMs = hour * MS_PER_HOUR
    const own = { trace: `1${hour}`, id: `1${hour}`, atMs, attributes: CARRIED, statusMessage: VALUE }
    await write(store, GRID, {
      spans: [
        { trace: `${hour + 1}`, id: `${hour + 1}`, atMs, operation: 'stays' },
        { ...own, operation: `for ${VALUE}`, status: 'ERROR', kind: 'CLIENT' },
        { trace: `2${hour}`, id: `2${hour}`, atMs, kind: 'SERVER', resource: CARRIED },
        { trace: `3${hour}`, id: `3${hour}`, atMs, events: [{ name: VALUE, timeNs: 1n, attributes: CARRIED }] },
      ],
      logs: [
        { body: `told of ${VALUE}`, attributes: CARRIED, atMs },
        { body: 'stays', atMs },
      ],
      points: [
        { attributes: CARRIED, atMs },
        { value: 5, atMs },
      ],
    })
  }
}

it('leaves nothing of the value in any file, nor in answers, sealed in pieces, compacted or not sealed', async () => {
  const folder = await stores.newFolder()
  const store = await stores.open(folder)
  await writeEverywhere(store)
  await store.settle()
  await store.compact(Date.now())
  await write(store, GRID, { spans: [{ trace: '40', id: '40', atMs: 5, attributes: CARRIED }] })
  await store.settle()
  await write(store, GRID, { spans: [{ trace: '41', id: '41', atMs: 6, attributes: CARRIED, operation: VALUE }] })
  await deleteAll(store)
  const reader = store.reader(GRID)
  const answers = [
    await reader.searchTraces({ window: WHOLE_WINDOW, offset: 0, limit: 100 }),
    await reader.traceFilterOptions(100),
    await reader.logFilterOptions(100),
    await reader.requests({ window: WHOLE_WINDOW, by: ['service', 'operation'], latencies: false }),
    await reader.resourceActivity(WHOLE_WINDOW),
    await reader.logs(WHOLE_WINDOW, 100),
    await reader.metricPoints('queue.length', WHOLE_WINDOW, 100),
  ]
  const told = JSON.stringify(answers, (_, value) => (typeof value === 'bigint' ? String(value) : value))
  expect(told).toContain('stays')
  expect(told).not.toContain(VALUE)
  await store.close()
  expect(await placesOf(folder, VALUE)).toEqual([])
  expect(await placesOf(folder, 'stays')).not.toEqual([])
})

it('also where only the sums of an hour are left', async () => {
  const folder = await stores.newFolder()
  const store = await stores.open(folder)
  await write(store, GRID, {
    spans: [
      { kind: 'SERVER', resource: CARRIED },
      { id: '2', kind: 'SERVER' },
    ],
  })
  await store.settle()
  await store.expire([{ gridId: GRID, oldestNs: WHOLE_WINDOW.endNs, oldestSumsNs: 0n }])
  await deleteAll(store)
  await store.close()
  expect(await placesOf(folder, VALUE)).toEqual([])
})
