import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeTelemetryStore } from '../conformance/describe-telemetry-store.ts'
import { type DuckDbStore, openDuckDbStore } from './duckdb-store.ts'
import { DEFAULT_DUCKDB_OPTIONS } from './options.ts'

describeTelemetryStore({
  name: 'duckdb',
  open: async () => {
    const folder = await mkdtemp(join(tmpdir(), 'faultline-duckdb-'))
    const open = () => openDuckDbStore({ ...DEFAULT_DUCKDB_OPTIONS, folder, warn: console.warn })
    let store: DuckDbStore = await open()
    return {
      store,
      settle: () => store.settle(),
      reopen: async () => {
        await store.close()
        store = await open()
        return store
      },
      dispose: () => rm(folder, { recursive: true, force: true }),
    }
  },
})
