import { fork } from 'node:child_process'
import { compiled } from '../compiled.ts'

export interface StoreSpeedsOptions {
  /** Where to write; the caller removes it. */
  folder: string
  durationMs: number
  spansPerBatch: number
}

/** How fast the parts of the way are by themselves, for the same spans. */
export interface StoreSpeeds {
  /** Rows into the database and nothing else: what ingestion is compared with. */
  rawSpansPerSecond: number
  decodedSpansPerSecond: number
  storeSpansPerSecond: number
}

export function measureStoreSpeeds(options: StoreSpeedsOptions): Promise<StoreSpeeds> {
  const child = fork(compiled('ingest/store-speeds-process.js'), [JSON.stringify(options)], {
    env: { ...process.env, UV_THREADPOOL_SIZE: '16' },
  })
  return new Promise((resolve, reject) => {
    child.once('message', (speeds: StoreSpeeds) => resolve(speeds))
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`measuring the store ended with code ${code} before its result`)))
  })
}
