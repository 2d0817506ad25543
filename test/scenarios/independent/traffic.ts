import type { Values } from '../otlp-records.ts'
import type { Kind, RawSpan } from './raw-span.ts'
import { SeededNumbers } from './seeded-numbers.ts'

/** One thing that a service calls. */
export interface Call {
  /** A service of the shape, or any text for what sends no spans. */
  to: string
  /** How likely a request makes this call. */
  chance: number
  attributes?: Values
  /** Runs beside the next call instead of before it. */
  parallel?: boolean
  /** A message: the other side follows as a child, or in a trace of its own with a link. */
  message?: 'child' | 'link'
}

export interface ServiceShape {
  operations: string[]
  calls: Call[]
  /** Of its own work, about; and how much it varies. */
  workMs: number
  spread: number
  failShare: number
  /** Its clock is ahead by this. */
  skewMs?: number
  /** A SERVER span right below each SERVER span. */
  nested?: boolean
  /** Gone from this moment on. */
  untilMs?: number
  /** Kinds of roots for a service that nobody calls. */
  rootKind?: Kind
}

export interface TrafficShape {
  name: string
  seed: number
  spansMin: number
  /** When a trace begins, in milliseconds from the moment: below 0. */
  when: (random: SeededNumbers) => number
  entries: string[]
  services: Record<string, ServiceShape>
  /** Requests of one service overlap within a trace, so that whose error an error below them is can only be guessed. */
  overlaps?: true
}

const NS_PER_MS = 1e6
const HANDLED_SHARE = 0.2

/** Traces until there are enough spans. */
export function trafficOf(shape: TrafficShape): RawSpan[] {
  const traffic = new Traffic(shape)
  while (traffic.spans.length < shape.spansMin) traffic.addTrace()
  return traffic.spans
}

/** What a caller needs to know of a request that it made. */
interface Done {
  endNs: number
  failed: boolean
}

interface Above {
  traceId: string
  spanId: string
}

class Traffic {
  readonly spans: RawSpan[] = []
  private readonly shape: TrafficShape
  private readonly random: SeededNumbers

  constructor(shape: TrafficShape) {
    this.shape = shape
    this.random = new SeededNumbers(shape.seed)
  }

  addTrace(): void {
    const startNs = Math.round(this.shape.when(this.random) * NS_PER_MS) + this.random.below(NS_PER_MS)
    const above = { traceId: this.random.hex(32), spanId: '' }
    const service = this.random.pick(this.shape.entries)
    this.request(service, this.shape.services[service]?.rootKind ?? 'SERVER', above, startNs, [])
  }

  /** A request of a service with all that it does. Times are true ones; the service's clock changes only what it reports. */
  private request(service: string, kind: Kind, above: Above, startNs: number, links: Above[]): Done {
    const own = this.shape.services[service] as ServiceShape
    const outer = this.span(service, kind, this.random.pick(own.operations), above)
    outer.links = links
    if (kind === 'CONSUMER') outer.attributes = { 'messaging.operation.type': 'process' }
    const inner = own.nested ? this.span(service, 'SERVER', 'handle', outer) : outer
    const work = this.span(service, 'INTERNAL', 'work', inner)
    const begunNs = startNs + this.workNs(own)
    const { endNs, failed } = this.calls(service, own, work, begunNs)
    const doneNs = endNs + this.workNs(own)
    const fails = failed ? !this.random.chance(HANDLED_SHARE) : this.random.chance(own.failShare)
    if (fails && !failed) this.blame(this.random.chance(0.5) ? work : outer)
    this.place(work, begunNs, endNs, work.failed)
    if (inner !== outer) this.place(inner, startNs, doneNs, fails)
    this.place(outer, startNs, doneNs, fails)
    if (fails) outer.attributes['http.response.status_code'] = 500
    return { endNs: doneNs, failed: fails }
  }

  private calls(service: string, { calls }: ServiceShape, above: RawSpan, startNs: number): Done {
    let nextNs = startNs
    const done = { endNs: startNs, failed: false }
    for (const call of calls) {
      if (!this.random.chance(call.chance)) continue
      const { endNs, failed } = call.message
        ? this.message(service, call, above, nextNs)
        : this.call(service, call, above, nextNs)
      done.endNs = Math.max(done.endNs, endNs)
      done.failed ||= failed
      if (!call.parallel) nextNs = done.endNs
    }
    return done
  }

  private call(service: string, call: Call, above: RawSpan, startNs: number): Done {
    const span = this.span(service, 'CLIENT', `call ${call.to}`, above)
    Object.assign(span.attributes, call.attributes)
    const target = this.shape.services[call.to]
    const wayNs = this.random.below(NS_PER_MS)
    const isGone = target?.untilMs !== undefined && startNs >= target.untilMs * NS_PER_MS
    if (target && !isGone) {
      const { endNs, failed } = this.request(call.to, 'SERVER', span, startNs + wayNs, [])
      if (failed) span.attributes['http.response.status_code'] = 500
      return this.place(span, startNs, endNs + wayNs, failed)
    }
    const failed = isGone || this.random.chance(0.01)
    if (failed) span.attributes['error.type'] = isGone ? 'ECONNREFUSED' : 'timeout'
    return this.place(span, startNs, startNs + Math.round(this.random.spread(1) * 5 * NS_PER_MS), failed)
  }

  /** Whoever gets the message goes about it later, and the sender never hears of it. */
  private message(service: string, call: Call, above: RawSpan, startNs: number): Done {
    const span = this.span(service, 'PRODUCER', `send ${call.to}`, above)
    Object.assign(span.attributes, call.attributes)
    const laterNs = startNs + Math.round(this.random.spread(2) * 500 * NS_PER_MS)
    if (this.shape.services[call.to]) {
      const own = { traceId: this.random.hex(32), spanId: '' }
      if (call.message === 'child') this.request(call.to, 'CONSUMER', span, laterNs, [])
      else this.request(call.to, 'CONSUMER', own, laterNs, [{ traceId: span.traceId, spanId: span.spanId }])
      const receiving = this.span(call.to, 'CONSUMER', 'receive', { traceId: this.random.hex(32), spanId: '' })
      receiving.attributes[this.random.pick(['messaging.operation.type', 'messaging.operation'])] = 'receive'
      this.place(receiving, laterNs - 1000, laterNs, this.random.chance(0.1))
    }
    return this.place(span, startNs, startNs + this.random.below(3 * NS_PER_MS), this.random.chance(0.02))
  }

  /** Where an error begins. */
  private blame(span: RawSpan): void {
    span.failed = true
    const kind = this.random.below(3)
    const number = String(100 + this.random.below(900))
    if (kind === 0) span.exception = { type: 'NotFound', texts: ['order ', ' not found'], values: [number] }
    else if (kind === 1) span.exception = { type: 'Denied', texts: ['no entry for ', ''], values: [`'u${number}'`] }
    else span.attributes['error.type'] = 'bad_state'
  }

  private span(service: string, kind: Kind, operation: string, above: Above): RawSpan {
    const span: RawSpan = {
      traceId: above.traceId,
      spanId: this.random.hex(16),
      parentSpanId: above.spanId,
      service,
      operation,
      kind,
      startNs: 0,
      durationNs: 0,
      failed: false,
      exception: undefined,
      attributes: {},
      links: [],
    }
    this.spans.push(span)
    return span
  }

  private place(span: RawSpan, startNs: number, endNs: number, failed: boolean): Done {
    const skewNs = (this.shape.services[span.service]?.skewMs ?? 0) * NS_PER_MS
    span.startNs = Math.round(startNs + skewNs)
    span.durationNs = Math.round(endNs - startNs)
    span.failed ||= failed
    return { endNs, failed }
  }

  private workNs({ workMs, spread }: ServiceShape): number {
    return Math.round(workMs * this.random.spread(spread) * NS_PER_MS)
  }
}
