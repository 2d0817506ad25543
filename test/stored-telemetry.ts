import { join } from 'node:path'
import type { DuckDbStore } from '../server/storage/duckdb/duckdb-store.ts'
import { openDuckDbStore } from '../server/storage/duckdb/open-duckdb-store.ts'
import { DEFAULT_DUCKDB_OPTIONS } from '../server/storage/duckdb/options.ts'

/** The telemetry of a server that has stopped. Closed by the caller. */
export function openStoredTelemetry(dataDir: string, warnings: string[] = []): Promise<DuckDbStore> {
  return openDuckDbStore({
    ...DEFAULT_DUCKDB_OPTIONS,
    folder: join(dataDir, 'telemetry'),
    minFreeDiskBytes: 0,
    warn: (message) => warnings.push(message),
  })
}
