import { runCompiled } from '../run-compiled.ts'

export interface LogSpeedsOptions {
  /** Where to write; the caller removes it. */
  folder: string
  durationMs: number
  recordsPerBatch: number
}

/** How fast the parts of the way are by themselves, for the same records. */
export interface LogSpeeds {
  /** Rows into the database and nothing else: what ingestion is compared with. */
  rawPerSecond: number
  decodedPerSecond: number
}

export function measureLogSpeeds(options: LogSpeedsOptions): Promise<LogSpeeds> {
  return runCompiled('logs/log-speeds-process.js', options)
}
