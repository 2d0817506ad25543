import { type Attributes, SpanKind } from '@opentelemetry/api'
import type { InstrumentationScope, RecordedSpan } from '../emit/recorded-span.ts'
import { stackTraceOf } from '../emit/stack-trace.ts'
import type { Process } from '../engine/kernel.ts'
import type { LogLevel } from '../topology/step.ts'
import type { ConnectionPool } from './connection-pool.ts'
import { Fault } from './fault.ts'
import type { Instance } from './instance.ts'
import type { Shop } from './shop.ts'
import { fillIn, type Visit } from './visit.ts'

/** Where a step runs: on which instance, for whom, and under which span. */
export interface Frame {
  readonly shop: Shop
  readonly instance: Instance
  readonly visit: Visit
  readonly span: RecordedSpan
  readonly operation: string
  /** The connection of the transaction that the step is part of. */
  readonly held: ConnectionPool | undefined
}

export interface ChildSpan {
  name: string
  kind: SpanKind
  scope: InstrumentationScope
  attributes: Attributes
}

export function startChild({ shop, instance, span }: Frame, child: ChildSpan): RecordedSpan {
  const { name, kind, scope, attributes } = child
  return shop.recorder.startSpan({ name, kind, scope, attributes, parent: span.context, resource: instance.resource })
}

/** Runs work under an INTERNAL span, which fails where the work fails. */
export function* withInternalSpan(frame: Frame, name: string, work: (inner: Frame) => Process<void>): Process<void> {
  const scope = { name: `shop.${frame.instance.spec.name}`, version: frame.instance.release.version }
  const span = startChild(frame, { name, kind: SpanKind.INTERNAL, scope, attributes: {} })
  try {
    yield* work({ ...frame, span })
  } catch (error) {
    const fault = asFault(error)
    span.markFailed(fault.type, fault.message)
    throw fault
  } finally {
    frame.shop.recorder.endSpan(span)
  }
}

/** Writes the exception onto the span, as instrumentation does. */
export function recordException(frame: Frame, span: RecordedSpan, fault: Fault): void {
  span.addEvent('exception', frame.shop.recorder.now(), exceptionAttributes(frame, fault))
}

export function exceptionAttributes({ instance, operation }: Frame, fault: Fault): Attributes {
  const { runtime, name } = instance.spec
  return {
    'exception.type': fault.type,
    'exception.message': fault.message,
    'exception.stacktrace': stackTraceOf(runtime, name, operation, fault.type, fault.message),
  }
}

export function say({ shop, visit, span }: Frame, level: LogLevel, text: string, attributes: Attributes = {}): void {
  shop.recorder.log({
    level,
    text: fillIn(text, visit),
    span,
    attributes: { 'tenant.id': visit.tenant, ...attributes },
  })
}

/** Anything but a fault is a bug of the simulation, and is not hidden. */
export function asFault(error: unknown): Fault {
  if (error instanceof Fault) return error
  throw error
}
