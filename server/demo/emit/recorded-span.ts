import {
  type Attributes,
  type HrTime,
  type Link,
  type SpanContext,
  type SpanKind,
  SpanStatusCode,
} from '@opentelemetry/api'
import type { Resource } from '@opentelemetry/resources'
import type { ReadableSpan, TimedEvent } from '@opentelemetry/sdk-trace-base'

export interface InstrumentationScope {
  readonly name: string
  readonly version: string
}

export interface SpanStart {
  name: string
  kind: SpanKind
  context: SpanContext
  parent: SpanContext | undefined
  startTime: HrTime
  attributes: Attributes
  links: Link[]
  resource: Resource
  scope: InstrumentationScope
}

const NO_TIME: HrTime = [0, 0]

/** A span of the simulation in the form that the SDK's exporters take, with the simulation's own times and ids. */
export class RecordedSpan implements ReadableSpan {
  readonly name: string
  readonly kind: SpanKind
  readonly context: SpanContext
  readonly startTime: HrTime
  readonly attributes: Attributes
  readonly links: Link[]
  readonly events: TimedEvent[] = []
  readonly resource: Resource
  readonly instrumentationScope: InstrumentationScope
  readonly droppedAttributesCount = 0
  readonly droppedEventsCount = 0
  readonly droppedLinksCount = 0
  readonly parentSpanContext?: SpanContext
  status: ReadableSpan['status'] = { code: SpanStatusCode.UNSET }
  endTime: HrTime = NO_TIME
  ended = false

  constructor(start: SpanStart) {
    this.name = start.name
    this.kind = start.kind
    this.context = start.context
    this.startTime = start.startTime
    this.attributes = start.attributes
    this.links = start.links
    this.resource = start.resource
    this.instrumentationScope = start.scope
    if (start.parent !== undefined) this.parentSpanContext = start.parent
  }

  spanContext(): SpanContext {
    return this.context
  }

  get duration(): HrTime {
    const nanos = this.endTime[1] - this.startTime[1]
    const seconds = this.endTime[0] - this.startTime[0]
    return nanos < 0 ? [seconds - 1, nanos + 1_000_000_000] : [seconds, nanos]
  }

  markFailed(errorType: string, message: string): void {
    this.attributes['error.type'] = errorType
    this.status = { code: SpanStatusCode.ERROR, message }
  }

  addEvent(name: string, time: HrTime, attributes: Attributes): void {
    this.events.push({ name, time, attributes, droppedAttributesCount: 0 })
  }
}
