export type RecordKind = 'spans' | 'logs'

/** What a load process is asked to do. Ends when the first of its limits is reached, or when it is told to. */
export interface LoadOptions {
  /** Of the server, without a path. */
  url: string
  apiKey: string
  seed: number
  spansPerBatch: number
  /** Absent: spans. Logs are one record for each of the spans that would be sent. */
  records?: RecordKind
  /** Each has one request under way at most. */
  connections: number
  /** Absent: as fast as the server takes them. */
  spansPerSecond?: number
  spansMax?: number
  durationMs?: number
  /**
   * The spans lie in this range, evenly and in order, `spansMax` of them; absent: they happen now. A range without an end ends
   * when its last span is sent.
   */
  range?: { startMs: number; endMs?: number }
  /** Where the ids of acknowledged spans are written. */
  journal?: string
}

export const DEFAULT_LOAD = { seed: 1, spansPerBatch: 512, connections: 192 }
