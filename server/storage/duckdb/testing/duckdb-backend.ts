import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Backend } from '../../conformance/subject.ts'
import type { DuckDbStore } from '../duckdb-store.ts'
import { openDuckDbStore } from '../open-duckdb-store.ts'
import { DEFAULT_DUCKDB_OPTIONS, type DuckDbOptions } from '../options.ts'

/** A store in a folder of its own for each test. `afterSettling` is done each time everything was sealed. */
export function duckDbBackend(
  name: string,
  options: Partial<DuckDbOptions>,
  afterSettling = async (_: DuckDbStore) => {},
): Backend {
  return {
    name,
    open: async () => {
      const folder = await mkdtemp(join(tmpdir(), 'faultline-duckdb-'))
      const open = () => openDuckDbStore({ ...DEFAULT_DUCKDB_OPTIONS, folder, warn: console.warn, ...options })
      let store: DuckDbStore = await open()
      return {
        store,
        settle: async () => {
          await store.settle()
          await afterSettling(store)
        },
        reopen: async () => {
          await store.close()
          store = await open()
          return store
        },
        dispose: () => rm(folder, { recursive: true, force: true }),
      }
    },
  }
}
