import type { Latencies } from '../../domain/latencies.ts'
import type { Span } from '../../domain/span.ts'
import type { TimeWindow } from '../../domain/time-window.ts'
import type { LogCounts, ResourceActivities, SampleFilter } from '../../storage/diagnostics-reader.ts'
import type { Saturation } from '../pressure/saturation.ts'
import type { BrokenHabit } from './habits/habit.ts'
import type { ResourceJump } from './resources/resource-jump.ts'
import type { MinuteAxis } from './series/minute-axis.ts'
import type { EdgeSeries, OperationSeries } from './series/minute-series.ts'
import type { CastVote } from './suspects/suspect.ts'
import type { Symptom } from './symptoms/symptom.ts'
import type { SpanForest } from './traces/span-forest.ts'
import type { WholeSpans } from './traces/whole-spans.ts'
import type { SlowWay } from './ways/slow-ways.ts'

/** A change that was recorded in the Grid's timeline. */
export interface RecordedChange {
  atNs: bigint
  type: string
  serviceName: string
  description: string
}

/** What is known of every service, cheap enough to ask whenever somebody looks. */
export interface Overview {
  axis: MinuteAxis
  operations: OperationSeries[]
  /** All operations of each service together. */
  services: OperationSeries[]
  edges: EdgeSeries[]
  logs: LogCounts[]
  changes: RecordedChange[]
}

/** Requests of one symptom, looked at closely. */
export interface Sample {
  symptom: Symptom
  /** Failed or slow ones, while it lasted. */
  bad: Span[]
  /** From how long on a request counts as slow; undefined where it is about errors. */
  slowNs: bigint | undefined
  /** Where the bad ones are from: which requests, good or bad, of what time. */
  filter: SampleFilter
  window: TimeWindow
  /** Any, while all was calm. */
  calm: Span[]
  /** All of them, where it is about latency. */
  latencies: { during: Latencies; calm: Latencies } | undefined
}

/** Spans of an operation while a habit of it was broken: those that broke it, and those that kept it. */
export interface Witnesses {
  broken: Span[]
  kept: Span[]
  /** Their traces. */
  forest: SpanForest
}

/** What is asked only where something is wrong, and only about that. */
export interface Details {
  samples: Sample[]
  /** The traces that the bad and the calm requests belong to. */
  forest: SpanForest
  /** What the bad requests say, in the order of the samples. */
  votes: CastVote[]
  /** Of the spans in which the bad requests' trouble began: those that failed, and calls of what may be a service. */
  origins: WholeSpans
  resources: ResourceActivities
  /** What was at its limit while things were bad, and had not always been. */
  saturations: Saturation[]
  /** By service, of those that broke a habit and are not known by bad requests. */
  witnesses: ReadonlyMap<string, Witnesses>
}

/** What shows without any request failing or being slow. */
export interface Signs {
  /** Surest first. */
  habits: BrokenHabit[]
  jumps: ResourceJump[]
  ways: SlowWay[]
}

export const NO_SIGNS: Signs = { habits: [], jumps: [], ways: [] }
