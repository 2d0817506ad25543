import type { ApdexThresholds } from '../domain/apdex.ts'
import type { LogColumns } from '../domain/columns/log-columns.ts'
import type { SpanColumns } from '../domain/columns/span-columns.ts'
import type { LogRecord, SeverityLevel } from '../domain/log-record.ts'
import type { MetricPoint } from '../domain/metric-point.ts'
import type { RecordCounts, RecordMatch } from '../domain/record-match.ts'
import type { Span, SpanStatus, SpanSummary } from '../domain/span.ts'
import type { TimeWindow } from '../domain/time-window.ts'
import type { ChartReader } from './chart-reader.ts'
import type { DiagnosticsReader } from './diagnostics-reader.ts'

/** Takes telemetry. A Grid is named by its UUID in lower case. */
export interface TelemetryWriter {
  /**
   * Each write resolves only once its rows are durable, and rejects with a `StoreUnavailable` where they are not, in
   * which case none of them will appear. The rows have been copied when the call returns its promise: the caller may
   * reuse the columns at once. Rows from many calls share one commit.
   *
   * Writing a record twice is harmless, also across a restart: a span is known by Grid, trace id and span id, a log by
   * its id, a metric point by its series and time. The first one wins.
   */
  writeSpans(gridId: string, spans: SpanColumns): Promise<void>
  writeLogs(gridId: string, logs: LogColumns): Promise<void>
  writeMetrics(gridId: string, points: MetricPoint[]): Promise<void>
}

/** What a trace search asks for. Absent means: does not matter. Durations are judged in whole milliseconds, inclusive. */
export interface TraceFilter {
  window: TimeWindow
  serviceName?: string
  operationName?: string
  minDurationMs?: number
  maxDurationMs?: number
  status?: SpanStatus
  /** Each must equal, as text, the value of that key in the span's or its resource's attributes. */
  tags?: Record<string, string>
  /** How many matching traces to pass over, and how many to return at most. */
  offset: number
  limit: number
}

export interface TracePage {
  items: SpanSummary[]
  totalCount: number
}

export interface TraceFilterOptions {
  serviceNames: string[]
  operationNames: string[]
  statusValues: SpanStatus[]
  tagKeys: string[]
}

export interface TraceSpans {
  /** Ascending by start, parents before children on a tie; at most as many as asked for. */
  spans: SpanSummary[]
  totalCount: number
}

/** What a log search asks for. Absent means: does not matter. */
export interface LogFilter {
  window: TimeWindow
  severityLevel?: SeverityLevel
  serviceName?: string
  /** Each must occur somewhere in the body, in whatever case: `wordPattern` finds it. */
  words?: string[]
  traceId?: string
  spanId?: string
  /** Each must equal, as text, the value of that key in the record's or its resource's attributes. */
  attributes?: Record<string, string>
}

/** A part of what is found. */
export interface Portion {
  /** How many to pass over, and how many to return at most. */
  offset: number
  limit: number
}

export interface LogPage {
  items: LogRecord[]
  totalCount: number
}

/** Records of one service and level whose bodies have one template. */
export interface LogPattern {
  serviceName: string
  severityLevel: SeverityLevel
  template: string
  recordCount: number
  /** When the first and the last of them were written. */
  firstNs: bigint
  lastNs: bigint
}

export interface LogFilterOptions {
  /** By rank. */
  severityLevels: SeverityLevel[]
  serviceNames: string[]
  attributeKeys: string[]
}

/**
 * Answers about one Grid. A reader is bound to its Grid when it is made and cannot reach another one. Whatever was
 * acknowledged before a question is asked is part of the answer. A question that takes longer than the store's time
 * limit rejects with a `QueryTimeout`.
 */
export interface TelemetryReader extends DiagnosticsReader, ChartReader {
  /** The newest span with this id (16 hex digits, lower case). */
  span(spanId: string): Promise<Span | undefined>
  traceSpans(traceId: string, limit: number): Promise<TraceSpans>
  /** The spans of a trace that failed or carry an exception event, whole, ascending by start. */
  traceErrorSpans(traceId: string, limit: number): Promise<Span[]>
  /** Ascending by time. */
  traceLogs(traceId: string, limit: number): Promise<LogRecord[]>
  /**
   * One item per trace: its earliest span that matches everything asked for, or with nothing but the window asked, its
   * root where that is in the window. Newest first, ties by trace id. `totalCount` is exact.
   */
  searchTraces(filter: TraceFilter): Promise<TracePage>
  /** Each list sorted by name; operations and keys are the `limit` most used ones. */
  traceFilterOptions(limit: number): Promise<TraceFilterOptions>
  /** Newest first, ties by id. `totalCount` is exact. */
  searchLogs(filter: LogFilter, portion: Portion): Promise<LogPage>
  /** The record with this id (32 hex digits, lower case). */
  log(id: string): Promise<LogRecord | undefined>
  /** The first record that was written in a span; where two traces have a span of this id, that of the newest record. */
  firstLogOfSpan(spanId: string): Promise<LogRecord | undefined>
  /** The patterns of what matches, most common first, ties by when they were last seen, newest first; at most `limit`. */
  logPatterns(filter: LogFilter, limit: number): Promise<LogPattern[]>
  /** The newest record of each of these patterns that matches, on a tie that of the smallest id; undefined where it is gone. */
  newestOfPatterns(filter: LogFilter, patterns: LogPattern[]): Promise<(LogRecord | undefined)[]>
  /** Names sorted; keys are the `limit` most used ones, of records and their resources. */
  logFilterOptions(limit: number): Promise<LogFilterOptions>
  /** Ascending by time. */
  logs(window: TimeWindow, limit: number): Promise<LogRecord[]>
  /** Points of one metric in every series, ascending by time. */
  metricPoints(name: string, window: TimeWindow, limit: number): Promise<MetricPoint[]>
}

export interface Retention {
  gridId: string
  /** Records that began before this may be removed. */
  oldestNs: bigint
  /** What is left of older records, sums that Diagnostics is answered from, may be removed before this. */
  oldestSumsNs: bigint
}

/** How many bytes of the disk telemetry may take. */
export interface DiskBudgets {
  /** Of Grids that have a limit of their own. */
  grids: { gridId: string; maxBytes: number }[]
  /** Of all of them together. */
  maxBytes: number
}

/** What was removed of one Grid for want of space. */
export interface RoomMade {
  gridId: string
  /** How many hours lost their records, and how many what was left of them. */
  hoursOfRecords: number
  hoursOfSums: number
  freedBytes: number
  /** The newest of the removed records began before this; undefined where none were removed. */
  recordsFromNs: bigint | undefined
}

/** What a Grid takes of the disk. What came in the last minutes may not be counted yet. */
export interface GridUsage {
  bytes: number
  /** The beginning of the first hour that has records, and of the first that has at least sums; null where there is none. */
  recordsFromNs: bigint | null
  sumsFromNs: bigint | null
}

export interface TelemetryStore extends TelemetryWriter {
  reader(gridId: string): TelemetryReader
  /** What counts as satisfied and tolerating in what comes from now on; what came before may be judged by the thresholds of its time. */
  setApdex(gridId: string, thresholds: ApdexThresholds): Promise<void>
  /** Removes what is older than each Grid's retention, and frees its disk space. */
  expire(retentions: Retention[]): Promise<void>
  /**
   * Removes what is in closed hours, oldest first, until each Grid and all of them together take no more than they may: first
   * records, then the sums that are left of them. Resolves to what was removed.
   */
  fitInto(budgets: DiskBudgets, nowMs: number): Promise<RoomMade[]>
  usage(gridId: string): Promise<GridUsage>
  /** Removes every record of a Grid. */
  dropGrid(gridId: string): Promise<void>
  /** The hours since 1970 in which the Grid has anything that was acknowledged before, ascending. */
  settledHours(gridId: string): Promise<number[]>
  /**
   * Removes the records of an hour that match, of what was acknowledged before `settledHours` was asked for. Nothing of the values
   * is left in its files. Figures may still count what was removed.
   */
  deleteRecords(gridId: string, hour: number, match: RecordMatch): Promise<RecordCounts>
  /** The files that are at rest at the moment. Any may change or go at any time: whoever copies one looks at it again. */
  files(): Promise<StoredFile[]>
  /**
   * Resolves to files that hold everything acknowledged before, in a state that a store can be opened on. Nothing changes or
   * removes them until they are released, which the store does by itself after a minute. Writing and asking go on. Rejects
   * with a `StoreUnavailable` where they are held already.
   */
  holdFiles(): Promise<StoredFile[]>
  /** False where they were not held any more: what was copied meanwhile may be torn. */
  releaseFiles(): Promise<boolean>
  /** Figures about the store itself, for the server's own metrics. */
  measure(): Promise<StoreMeasures>
  /** Commits what was taken and closes. Later calls reject with a `StoreUnavailable`. */
  close(): Promise<void>
}

/** A file of the store, for those who copy it. */
export interface StoredFile {
  path: string
  /** Within the store's folder. */
  name: string
  bytes: number
  changedAtMs: number
}

export interface StoreMeasures {
  diskBytes: number
  diskFreeBytes: number
  /** Rows that are durable but not yet in their final, sorted place. */
  unsealedRows: number
  commits: number
  lastCommitMs: number
  duplicateRows: number
}
