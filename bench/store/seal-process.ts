import { DEFAULT_DUCKDB_OPTIONS, openDuckDbStore } from '../../server/storage/duckdb/duckdb-store.ts'

// A process of its own: the database lets go of its files only when the process ends.
const { folder } = JSON.parse(process.argv[2] ?? '') as { folder: string }
const store = await openDuckDbStore({ ...DEFAULT_DUCKDB_OPTIONS, folder, warn: (message) => console.error(message) })
await store.settle()
await store.close()
process.send?.('sealed')
process.disconnect()
