import { stackTraceOf } from '../../../../server/demo/emit/stack-trace.ts'
import { Random } from '../../../../server/demo/engine/random.ts'
import type { Export } from '../../incidents/incident.ts'
import type { GeneratedSystem, Step, TopicSpec } from '../system/generated-system.ts'
import type { Failure } from '../world/disturbance.ts'
import type { Instance } from '../world/instance.ts'
import type { Frame, Visit } from '../world/visit.ts'
import { Conventions } from './conventions.ts'
import { attributesJson, nanoseconds, type Values } from './otlp-json.ts'
import type { Reading } from './reading.ts'
import { Records } from './records.ts'
import { KIND, type SpanRef } from './span-ref.ts'

export type { SpanRef } from './span-ref.ts'

export interface RecorderOptions {
  system: GeneratedSystem
  seed: string
  /** Where on the calendar virtual time begins. */
  startEpochMs: number
  /** What ends later was not sent yet when somebody asked. */
  endMs: number
  /** Who sent something, as attributes, at a moment. */
  resourceOf(instance: Instance, atMs: number): string
}

const SEVERITY = { info: 9, warn: 13, error: 17 } as const

/** Writes down what happens as telemetry: what a service's instrumentation would see of it, by its host's clock. */
export class Recorder {
  readonly #options: RecorderOptions
  readonly #random: Random
  readonly #conventions: Conventions
  readonly #spans = new Records('traces')
  readonly #logs = new Records('logs')
  readonly #metrics = new Records('metrics')

  constructor(options: RecorderOptions) {
    this.#options = options
    this.#random = new Random(`${options.seed} ids`)
    this.#conventions = new Conventions(options.system.style)
  }

  startServer(instance: Instance, operation: string, visit: Visit, atMs: number): SpanRef {
    const attributes = this.#conventions.served(operation, operation.replace(/^\S+ /, '').replace('{id}', visit.id))
    return this.#start(instance, KIND.SERVER, operation, visit.parent, atMs, this.#withCustomer(attributes, visit))
  }

  startConsumer(instance: Instance, topic: TopicSpec, visit: Visit, atMs: number): SpanRef {
    const attributes = this.#withCustomer(this.#conventions.message(topic, 'process'), visit)
    const parent = topic.isLinked ? undefined : visit.parent
    const span = this.#start(instance, KIND.CONSUMER, `process ${topic.name}`, parent, atMs, attributes)
    return topic.isLinked ? { ...span, link: visit.parent, isSampled: visit.parent?.isSampled ?? true } : span
  }

  endServer(span: SpanRef, endMs: number, status: number, failure: Failure | undefined): void {
    if (span.kind === KIND.SERVER) this.#showStatus(span, status)
    this.#end(span, endMs, failure)
  }

  startCall(frame: Frame, step: Extract<Step, { do: 'call' }>, atMs: number, attempt: number): SpanRef {
    const attributes = this.#conventions.called({ operation: step.operation, address: step.service })
    return this.#child(frame, KIND.CLIENT, step.operation, atMs, resent(attributes, attempt))
  }

  startExternal(frame: Frame, step: Extract<Step, { do: 'external' }>, atMs: number, attempt: number): SpanRef {
    const address = this.#options.system.apis.find(({ name }) => name === step.api)?.address ?? step.api
    const attributes = this.#conventions.called({ operation: step.operation, address })
    return this.#child(frame, KIND.CLIENT, step.operation, atMs, resent(attributes, attempt))
  }

  /** An answer has a status; a call without one has the exception that says why. */
  endCall(span: SpanRef, endMs: number, failure: Failure | undefined): void {
    const hasAnswer = failure === undefined || !/refused|no answer/i.test(failure.message)
    if (hasAnswer) this.#showStatus(span, failure?.status ?? 200)
    else if (span.instance.service.recordsExceptions) span.events.push(this.#exceptionEvent(span, failure, endMs))
    this.#end(span, endMs, failure)
  }

  query(
    frame: Frame,
    step: Extract<Step, { do: 'query' }>,
    { startMs, endMs, failure }: { startMs: number; endMs: number; failure: Failure | undefined },
  ): void {
    const database = this.#options.system.databases.find(({ name }) => name === step.database)
    if (database === undefined) throw new Error(`there is no database ${step.database}`)
    const attributes = this.#conventions.query(database, step.statement, step.table)
    const span = this.#child(frame, KIND.CLIENT, `${step.statement} ${step.table}`, startMs, attributes)
    if (failure && span.instance.service.recordsExceptions) span.events.push(this.#exceptionEvent(span, failure, endMs))
    this.#end(span, endMs, failure)
  }

  publish(frame: Frame, topic: TopicSpec, startMs: number, endMs: number): SpanRef {
    const span = this.#child(
      frame,
      KIND.PRODUCER,
      `send ${topic.name}`,
      startMs,
      this.#conventions.message(topic, 'send'),
    )
    this.#end(span, endMs, undefined)
    return span
  }

  /** What was thrown while a request was worked on: on its span, and in the log. */
  exception(frame: Frame, failure: Failure, atMs: number): void {
    const { span, operation } = frame
    if (span.instance.service.recordsExceptions) span.events.push(this.#exceptionEvent(span, failure, atMs))
    const attributes = this.#exceptionAttributes(span, failure)
    this.log(frame, 'error', `${operation} failed: ${failure.message}`, atMs, attributes)
  }

  log({ instance, span }: Frame, level: keyof typeof SEVERITY, text: string, atMs: number, values: Values = {}): void {
    if (!instance.service.sendsLogs || atMs > this.#options.endMs) return
    const time = this.#time(instance, atMs)
    const ids = span.isSampled ? `,"traceId":"${span.traceId}","spanId":"${span.spanId}"` : ''
    const record = `{"timeUnixNano":"${time}","severityNumber":${SEVERITY[level]},"severityText":"${level.toUpperCase()}","body":{"stringValue":${JSON.stringify(text)}},"attributes":${attributesJson(values)}${ids}}`
    this.#logs.add(atMs, this.#options.resourceOf(instance, atMs), record)
  }

  /** Everything that an instance measures at one moment. */
  metrics(instance: Instance, atMs: number, readings: Reading[]): void {
    const resource = this.#options.resourceOf(instance, atMs)
    const time = this.#time(instance, atMs)
    for (const { name, unit, value, attributes = {} } of readings) {
      const point = `{"timeUnixNano":"${time}","asDouble":${value},"attributes":${attributesJson(attributes)}}`
      this.#metrics.add(atMs, resource, `{"name":"${name}","unit":"${unit}","gauge":{"dataPoints":[${point}]}}`)
    }
  }

  *exports(): Generator<Export> {
    for (const records of [this.#spans, this.#logs, this.#metrics]) yield* records.exports()
  }

  #start(
    instance: Instance,
    kind: SpanRef['kind'],
    name: string,
    parent: SpanRef | undefined,
    startMs: number,
    attributes: Values,
  ): SpanRef {
    const { sampledShare } = this.#options.system.style
    return {
      traceId: parent?.traceId ?? this.#random.hex(4),
      spanId: this.#random.hex(2),
      parentId: parent?.spanId ?? '',
      isSampled: parent?.isSampled ?? this.#random.chance(sampledShare),
      kind,
      name,
      startMs,
      instance,
      attributes,
      events: [],
      link: undefined,
    }
  }

  #child({ instance, span, visit }: Frame, kind: SpanRef['kind'], name: string, atMs: number, values: Values): SpanRef {
    const attributes = this.#options.system.style.passesCustomerOn ? this.#withCustomer(values, visit) : values
    return this.#start(instance, kind, name, span, atMs, attributes)
  }

  #end(span: SpanRef, endMs: number, failure: Failure | undefined): void {
    const { instance, traceId, spanId, parentId, startMs } = span
    if (!span.isSampled || !instance.service.sendsSpans || endMs > this.#options.endMs) return
    const { failuresShow } = this.#options.system.style
    const isShown = failure !== undefined && failuresShow === 'as status'
    if (failure && isShown) span.attributes['error.type'] = failure.type
    const parts = [
      `{"traceId":"${traceId}","spanId":"${spanId}"${parentId === '' ? '' : `,"parentSpanId":"${parentId}"`}`,
      `"name":${JSON.stringify(span.name)},"kind":${span.kind}`,
      `"startTimeUnixNano":"${this.#time(instance, startMs)}","endTimeUnixNano":"${this.#time(instance, endMs)}"`,
      `"attributes":${attributesJson(span.attributes)}`,
      ...(failure && isShown ? [`"status":{"code":2,"message":${JSON.stringify(failure.message)}}`] : []),
      ...(span.events.length > 0
        ? [`"events":[${span.events.map((event) => this.#eventJson(span, event)).join(',')}]`]
        : []),
      ...(span.link ? [`"links":[{"traceId":"${span.link.traceId}","spanId":"${span.link.spanId}"}]`] : []),
    ]
    this.#spans.add(endMs, this.#options.resourceOf(instance, startMs), `${parts.join(',')}}`)
  }

  #eventJson({ instance }: SpanRef, { atMs, attributes }: SpanRef['events'][0]): string {
    return `{"name":"exception","timeUnixNano":"${this.#time(instance, atMs)}","attributes":${attributesJson(attributes)}}`
  }

  #exceptionEvent(span: SpanRef, failure: Failure, atMs: number): SpanRef['events'][0] {
    return { atMs, attributes: this.#exceptionAttributes(span, failure) }
  }

  #exceptionAttributes({ instance, name }: SpanRef, { type, message }: Failure): Values {
    const { runtime, name: service } = instance.service
    const stack = stackTraceOf(runtime, service, name, type, message)
    return { 'exception.type': type, 'exception.message': message, 'exception.stacktrace': stack }
  }

  #showStatus(span: SpanRef, status: number): void {
    if (this.#options.system.style.failuresShow === 'not at all') return
    Object.assign(span.attributes, this.#conventions.status(span.name, status))
  }

  #withCustomer(values: Values, { customer, parent }: Visit): Values {
    const { customerKey, passesCustomerOn } = this.#options.system.style
    return parent === undefined || passesCustomerOn ? { ...values, [customerKey]: customer } : values
  }

  #time({ host }: Instance, atMs: number): string {
    return nanoseconds(this.#options.startEpochMs, atMs + host.skewMs)
  }
}

function resent(attributes: Values, attempt: number): Values {
  return attempt === 0 ? attributes : { ...attributes, 'http.request.resend_count': attempt }
}
