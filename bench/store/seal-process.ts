import { openDuckDbStore } from '../../server/storage/duckdb/open-duckdb-store.ts'
import { DEFAULT_DUCKDB_OPTIONS } from '../../server/storage/duckdb/options.ts'

// A process of its own: the database lets go of its files only when the process ends.
const { folder, compact } = JSON.parse(process.argv[2] ?? '') as { folder: string; compact: boolean }
const store = await openDuckDbStore({ ...DEFAULT_DUCKDB_OPTIONS, folder, warn: (message) => console.error(message) })
await store.settle()
// Long after the last hour: all of them are closed.
if (compact) await store.compact(Date.now() + 24 * 3_600_000)
await store.close()
process.send?.('sealed')
process.disconnect()
