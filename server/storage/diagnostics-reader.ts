import type { Attributes } from '../domain/attributes.ts'
import type { Failures } from '../domain/failures.ts'
import type { Latencies } from '../domain/latencies.ts'
import type { LogRecord } from '../domain/log-record.ts'
import type { MetricPoint } from '../domain/metric-point.ts'
import type { Span, SpanKind, SpanPlace, SpanStatus, TraceSpan } from '../domain/span.ts'
import type { TimeWindow } from '../domain/time-window.ts'

/** What a request question tells apart; over everything else it sums. `minute` is the minute in which a request began. */
export type RequestKey = 'service' | 'operation' | 'kind' | 'minute'

/**
 * Requests are what the contract's section 3 calls so: the SERVER and CONSUMER spans of a service but those under another one of
 * the same service and mere receiving; for a service that had neither kind in the 24 hours before the window's end, its
 * local roots.
 */
export interface RequestQuestion {
  window: TimeWindow
  by: RequestKey[]
  /** So many minutes count as one where minutes are told apart: a part of an hour without a rest, or whole hours. 1 where absent. */
  stepMinutes?: number
  serviceName?: string
  operationName?: string
  kind?: SpanKind
  /** Whether `latencies` is asked for; it is the dearest part. */
  latencies: boolean
}

/** Sums over requests. Counts and sums are exact. Errors are neither satisfied nor tolerating. */
export interface RequestSums {
  requestCount: number
  errorCount: number
  durationNsSum: bigint
  satisfiedCount: number
  toleratingCount: number
}

export interface RequestGroup extends RequestSums {
  /** These are empty, `INTERNAL` and 0 where the question does not tell them apart. */
  serviceName: string
  operationName: string
  kind: SpanKind
  minuteNs: bigint
  /**
   * One by one where the group has fewer than 1,000 requests and their spans are kept; in buckets otherwise, and for groups
   * of minutes, of which there are many; empty where they were not asked for.
   */
  latencies: Latencies
}

/** Figures by minute of a window, from the whole minute on that its start lies in. */
export interface MinuteFigures {
  requests: Float64Array
  errors: Float64Array
  durationMs: Float64Array
}

/** Requests of one operation, or of one service. */
export interface RequestSeries extends MinuteFigures {
  serviceName: string
  /** Empty for all operations of the service together. */
  operationName: string
  /** Satisfied ones, and tolerating ones by half. */
  content: Float64Array
}

/** Calls from one service to another, or to something outside, as the caller saw them. Never to itself. */
export interface Edge {
  sourceName: string
  targetName: string
  /** Whether the target is a service that sent spans in the 24 hours before the window's end. */
  targetIsService: boolean
  kind: 'CLIENT' | 'PRODUCER'
  requestCount: number
  errorCount: number
  durationNsSum: bigint
  /** Calls that failed and have no span of the callee, or of anyone, below them. */
  unansweredErrorCount: number
}

/** The calls of an `Edge` by minute. */
export interface EdgeSeries
  extends MinuteFigures,
    Pick<Edge, 'sourceName' | 'targetName' | 'targetIsService' | 'kind'> {
  unansweredErrors: Float64Array
}

export interface ServiceSpans {
  serviceName: string
  kind: SpanKind
  spanCount: number
}

/** What one resource (an instance of a service, in one configuration) did in one minute. */
export interface ResourceActivity {
  serviceName: string
  /** Into `resources` of the answer. */
  resourceIndex: number
  minuteNs: bigint
  spanCount: number
  requestCount: number
  errorCount: number
  durationNsSum: bigint
}

export interface ResourceActivities {
  /** Each resource once, with all of its attributes. */
  resources: Attributes[]
  /** By time. */
  rows: ResourceActivity[]
}

export interface LogCounts {
  serviceName: string
  minuteNs: bigint
  recordCount: number
  /** With a severity of ERROR or above. */
  errorCount: number
}

/** How many spans of an operation did just these steps. */
export interface SpanShape {
  serviceName: string
  operationName: string
  /** The operations of the same service's spans right below, each once, sorted. Empty where there are none. */
  steps: string[]
  /** By minute of the answer. */
  counts: Uint32Array
  /** Of one of them, in the last minute that has any: the first by name. */
  traceId: string
}

/** The time that calls lost between the caller's span and that of the service that answered. */
export interface CallGaps {
  sourceName: string
  targetName: string
  /** The call's duration without that of the longest answer, at least 0: those of some calls of each minute, as if drawn by lot. */
  gapsNs: Float64Array
  /** In which minute of the answer the call of each gap began. Ascending; the gaps of the same minute ascend. */
  minutes: Uint32Array
  /** Of the call that lost the most in the last two minutes, counted from the last call: that minute may hardly have begun. */
  traceId: string
}

/** What traces that were drawn by lot did. */
export interface DrawnTraces {
  /** Minutes are counted from this one on, in which the window begins, to the one in which it ends. */
  startNs: bigint
  /** Of spans that are no calls themselves; the most common ones where there are too many. */
  shapes: SpanShape[]
  /** Of calls between services; none of messages. */
  gaps: CallGaps[]
}

export interface DrawnLimits {
  shapesMax: number
  /** Of gaps between the same two services. */
  gapsPerMinute: number
}

/**
 * What a log record says, and the operation of the span that it was written in; empty where no such span began within an hour of
 * the window. Where it comes from is left out: there are tens of thousands.
 */
export interface LogInSpan
  extends Pick<
    LogRecord,
    'id' | 'timeNs' | 'severityNumber' | 'body' | 'template' | 'traceId' | 'spanId' | 'serviceName' | 'attributes'
  > {
  operationName: string
}

/** Spans to look at closely. Absent means: does not matter. Durations are inclusive. */
export interface SampleFilter {
  serviceName?: string
  operationName?: string
  kind?: SpanKind
  status?: SpanStatus
  minDurationNs?: bigint
  maxDurationNs?: bigint
}

/** When an hour of a Grid was last seen to change: equal versions mean that nothing came in between. */
export interface HourVersion {
  hourStartNs: bigint
  version: string
}

/** What Diagnostics asks about one Grid. The promises of `TelemetryReader` hold here too. */
export interface DiagnosticsReader {
  /** Groups with at least one request, in no particular order. */
  requests(question: RequestQuestion): Promise<RequestGroup[]>
  /**
   * What `requests` tells by minute, in columns, of a day or two at most: each minute has its place. Of more than `limit` series
   * those with the most requests.
   */
  requestSeries(window: TimeWindow, by: 'service' | 'operation', limit: number): Promise<RequestSeries[]>
  /** In no particular order. */
  edges(window: TimeWindow): Promise<Edge[]>
  /** The same by minute of the call, as `requestSeries` does. */
  edgeSeries(window: TimeWindow, limit: number): Promise<EdgeSeries[]>
  /** Every service that sent a span in the window, and how many of each kind. */
  serviceSpans(window: TimeWindow): Promise<ServiceSpans[]>
  resourceActivity(window: TimeWindow): Promise<ResourceActivities>
  /** Failed spans of a service, or of every service: the newest `limit`, and all that began together with the last of them. */
  failures(window: TimeWindow, serviceName: string | undefined, limit: number): Promise<Failures>
  /** At most `limit` spans of the window that match, whole: always the same ones, and as if drawn by lot. */
  sampleSpans(window: TimeWindow, filter: SampleFilter, limit: number): Promise<Span[]>
  /** All spans of these traces that began within an hour of the window, by trace and start; at most `limit`. */
  spansOfTraces(traceIds: string[], window: TimeWindow, limit: number): Promise<TraceSpan[]>
  /** Those of these spans that are there, whole, each once, in no particular order. */
  wholeSpans(places: SpanPlace[]): Promise<Span[]>
  logCounts(window: TimeWindow): Promise<LogCounts[]>
  /**
   * What the spans of the window did, of one trace in `oneTraceIn`: always the same ones, and as if drawn by lot. In no
   * particular order.
   */
  drawnTraces(window: TimeWindow, oneTraceIn: number, limits: DrawnLimits): Promise<DrawnTraces>
  /**
   * At most `limit` log records of one trace in `oneTraceIn`, the same traces that `drawnTraces` tells of, ascending by time. A
   * record of no trace is drawn by itself.
   */
  sampleLogs(window: TimeWindow, oneTraceIn: number, limit: number): Promise<LogInSpan[]>
  /** Points of these metrics in every series, ascending by time: the newest ones where there are more than `limit`. */
  pointsOf(names: string[], window: TimeWindow, limit: number): Promise<MetricPoint[]>
  /** The names of all metrics that have points in the window, sorted. */
  metricNames(window: TimeWindow): Promise<string[]>
  /** The start of the Grid's earliest span that is still known of, also from aggregates. */
  firstSpanNs(): Promise<bigint | undefined>
  /** Every hour that has records, ascending. */
  hourVersions(): Promise<HourVersion[]>
}
