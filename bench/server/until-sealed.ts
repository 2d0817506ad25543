import { setTimeout as delay } from 'node:timers/promises'
import { DEFAULT_DUCKDB_OPTIONS } from '../../server/storage/duckdb/options.ts'
import type { MeasuredServer } from './measured-server.ts'

const CHECK_MS = 250
const WAIT_MAX_MS = 300_000

/** Waits until nothing is left to seal but what the file that takes rows holds. Resolves with how long that took. */
export async function untilSealed(server: MeasuredServer): Promise<number> {
  const startedMs = performance.now()
  while ((await unsealedRows(server)) >= DEFAULT_DUCKDB_OPTIONS.openRowsMax) {
    if (performance.now() - startedMs > WAIT_MAX_MS) throw new Error('the server does not get done with sealing')
    await delay(CHECK_MS)
  }
  return performance.now() - startedMs
}

/** Rows that were acknowledged and are not in the file of their hour yet. */
export async function unsealedRows(server: MeasuredServer): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text()
  return Number(/^faultline_store_unsealed_rows (\S+)$/m.exec(text)?.[1])
}
