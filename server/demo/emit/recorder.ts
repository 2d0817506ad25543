import { type Attributes, type HrTime, type Link, type SpanContext, SpanKind, TraceFlags } from '@opentelemetry/api'
import { SeverityNumber } from '@opentelemetry/api-logs'
import type { Resource } from '@opentelemetry/resources'
import type { ResourceMetrics } from '@opentelemetry/sdk-metrics'
import type { Kernel } from '../engine/kernel.ts'
import type { Random } from '../engine/random.ts'
import type { LogLevel } from '../topology/step.ts'
import { type InstrumentationScope, RecordedSpan } from './recorded-span.ts'
import { createTelemetry, type Telemetry } from './telemetry.ts'

const SEVERITIES: Record<LogLevel, { number: SeverityNumber; text: string }> = {
  debug: { number: SeverityNumber.DEBUG, text: 'DEBUG' },
  info: { number: SeverityNumber.INFO, text: 'INFO' },
  warn: { number: SeverityNumber.WARN, text: 'WARN' },
  error: { number: SeverityNumber.ERROR, text: 'ERROR' },
}

export interface SpanRequest {
  name: string
  kind: SpanKind
  parent: SpanContext | undefined
  attributes: Attributes
  resource: Resource
  scope: InstrumentationScope
  links?: Link[]
}

export interface LogRequest {
  level: LogLevel
  text: string
  span: RecordedSpan
  attributes: Attributes
}

/** Gathers what the shop emits, with ids from a seeded source and times from the virtual clock. */
export class Recorder {
  readonly #kernel: Kernel
  readonly #ids: Random
  readonly #startEpochMs: number
  #gathered = createTelemetry()

  /** `startEpochMs`, a whole number, is where on the real calendar virtual time begins. */
  constructor(kernel: Kernel, ids: Random, startEpochMs: number) {
    this.#kernel = kernel
    this.#ids = ids
    this.#startEpochMs = startEpochMs
  }

  get nowEpochMs(): number {
    return this.#startEpochMs + this.#kernel.nowMs
  }

  /** Keeps fractions of a millisecond, which a single number of this size would lose. */
  now(): HrTime {
    const wholeMs = Math.floor(this.#kernel.nowMs)
    const epochMs = this.#startEpochMs + wholeMs
    const fractionNs = Math.floor((this.#kernel.nowMs - wholeMs) * 1e6)
    return [Math.floor(epochMs / 1000), (epochMs % 1000) * 1e6 + fractionNs]
  }

  startSpan(request: SpanRequest): RecordedSpan {
    return new RecordedSpan({
      name: request.name,
      kind: request.kind,
      context: {
        traceId: request.parent?.traceId ?? this.#ids.hex(4),
        spanId: this.#ids.hex(2),
        traceFlags: TraceFlags.SAMPLED,
      },
      parent: parentOf(request),
      startTime: this.now(),
      attributes: request.attributes,
      links: request.links ?? [],
      resource: request.resource,
      scope: request.scope,
    })
  }

  endSpan(span: RecordedSpan): void {
    span.endTime = this.now()
    span.ended = true
    this.#gathered.spans.push(span)
  }

  log(request: LogRequest): void {
    const severity = SEVERITIES[request.level]
    const time = this.now()
    this.#gathered.logs.push({
      hrTime: time,
      hrTimeObserved: time,
      spanContext: request.span.context,
      severityNumber: severity.number,
      severityText: severity.text,
      body: request.text,
      resource: request.span.resource,
      instrumentationScope: request.span.instrumentationScope,
      attributes: request.attributes,
      droppedAttributesCount: 0,
    })
  }

  addMetrics(metrics: ResourceMetrics): void {
    this.#gathered.metrics.push(metrics)
  }

  /** Everything since the last call. */
  take(): Telemetry {
    const gathered = this.#gathered
    this.#gathered = createTelemetry()
    return gathered
  }
}

function parentOf({ parent, kind }: SpanRequest): SpanContext | undefined {
  const crossesProcesses = kind === SpanKind.SERVER || kind === SpanKind.CONSUMER
  return parent !== undefined && crossesProcesses ? { ...parent, isRemote: true } : parent
}
