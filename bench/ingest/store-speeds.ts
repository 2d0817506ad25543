import { runCompiled } from '../run-compiled.ts'

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
  return runCompiled('ingest/store-speeds-process.js', options)
}
