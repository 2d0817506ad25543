export interface DuckDbOptions {
  folder: string
  memoryLimitBytes: number
  threads: number
  queryTimeoutMs: number
  /** With less free disk than this, writing is refused and reading goes on. */
  minFreeDiskBytes: number
  /** An open file is sealed when it has this many rows, or is this old. */
  openRowsMax: number
  openAgeMaxMs: number
  /** How many hour files stay attached though nothing reads them: what a question finds attached it need not wait for. */
  attachedFilesMax: number
  /** So many spans stay in memory after they were sealed, where their relatives find them at once. */
  keptSpans: number
  /** Sums of the hours that are asked about stay in memory, up to so many bytes. */
  keptSumsBytes: number
  warn: (message: string) => void
}

export const DEFAULT_DUCKDB_OPTIONS = {
  memoryLimitBytes: 256 * 1024 * 1024,
  threads: 2,
  queryTimeoutMs: 30_000,
  minFreeDiskBytes: 1024 * 1024 * 1024,
  // Unsealed rows are held in memory, and every question about them looks at all of them.
  openRowsMax: 61_440,
  openAgeMaxMs: 10 * 60_000,
  /** A week of one Grid has room. */
  attachedFilesMax: 192,
  // Relatives come within seconds, seldom minutes.
  keptSpans: 262_144,
  // An hour of 500 operations at 10,000 spans a second takes about a third of it.
  keptSumsBytes: 64 * 1024 * 1024,
}
