import type { Attributes } from '../../../domain/attributes.ts'
import { SeededRandom } from '../../../storage/conformance/seeded-random.ts'
import type { SpanLiteral } from '../../../storage/conformance/span-builder.ts'
import type { Failure, Fault, Scene } from './fault.ts'

/** What a service does for one of its operations: works, and calls others one after the other. */
export interface SimulatedOperation {
  /** Half of its own times are less. */
  ownMs: number
  /** Each is `service operation`, or the name of something outside. */
  calls: string[]
  /** Calls without which it can do. */
  tries?: string[]
  /** `service operation` of whoever takes its message. */
  sends?: string
}

export interface SimulatedService {
  instances: number
  version: string
  operations: Record<string, SimulatedOperation>
}

/** Something outside that sends no spans. */
export interface SimulatedDependency {
  ms: number
  attributes: Attributes
}

export interface SimulatedSystem {
  services: Record<string, SimulatedService>
  dependencies: Record<string, SimulatedDependency>
  /** `service operation`, and which share of all requests asks for it. */
  entries: Record<string, number>
}

export interface SimulationOptions {
  seed: number
  minutes: number
  requestsPerMinute: number
  faults?: Fault[]
  /** Whether only who is asked first knows the customer; by default all do. */
  keepsCustomers?: boolean
}

interface Visit {
  trace: string
  minute: number
  customer: string
  region: string
}

interface Reply {
  endMs: number
  failure: Failure | undefined
}

/** Where a call comes from. */
interface Caller {
  id: string
  trace: string
  atMs: number
}

const CUSTOMERS = ['acme', 'birch', 'cobalt', 'dune', 'elm', 'fjord', 'gale', 'harbor']
const REGIONS = ['eu-1', 'us-1', 'us-2']
const WAY_MS = 0.4

/** Spans of a small system, trace by trace, from a minute's start on. The same seed gives the same spans. */
export function simulate(system: SimulatedSystem, options: SimulationOptions): SpanLiteral[] {
  const random = new SeededRandom(options.seed)
  const faults = options.faults ?? []
  const spans: SpanLiteral[] = []
  for (let minute = 0; minute < options.minutes; minute++) {
    for (const [entry, share] of Object.entries(system.entries)) {
      const factor = faults.reduce((product, fault) => product * (fault.traffic?.(entry, minute) ?? 1), 1)
      for (const atMs of arrivals(minute, options.requestsPerMinute * share * factor, random)) {
        const visit = { customer: random.pick(CUSTOMERS), region: random.pick(REGIONS) }
        serve(entry, '', atMs, { trace: random.hex(32), minute, ...visit })
      }
    }
  }
  return spans

  function serve(target: string, parent: string, atMs: number, visit: Visit, linked?: Caller): Reply {
    const { serviceName, operationName } = namesIn(target)
    const { instances, version, operations } = system.services[serviceName] as SimulatedService
    const operation = operations[operationName] as SimulatedOperation
    const instance = random.below(instances)
    const scene: Scene = { ...visit, serviceName, operationName, instance, version, random }
    scene.version = first((fault) => fault.versionOf?.(scene)) ?? version
    const id = random.hex(16)
    const thrown = first((fault) => fault.throws?.(scene))
    const startedMs = atMs + lognormal(operation.ownMs, 0.4, random) + (first((fault) => fault.slower?.(scene)) ?? 0)
    const isGivenUp = faults.some((fault) => fault.givesUp?.(scene))
    const { endMs, failure } =
      thrown || isGivenUp
        ? { endMs: startedMs, failure: thrown }
        : work(operation, scene, { id, trace: visit.trace, atMs: startedMs })
    spans.push({
      trace: visit.trace,
      id,
      ...(parent && { parent }),
      kind: linked ? 'CONSUMER' : 'SERVER',
      service: serviceName,
      operation: operationName,
      atMs,
      durationMs: endMs - atMs,
      resource: resourceOf(scene),
      attributes: knowsCustomer(parent) ? { 'customer.id': visit.customer, 'client.region': visit.region } : {},
      ...(linked && { links: [{ traceId: linked.trace, spanId: linked.id, attributes: {} }] }),
      ...failedWith(failure, thrown !== undefined),
    })
    return { endMs, failure }
  }

  function knowsCustomer(parent: string): boolean {
    return parent === '' || options.keepsCustomers !== true
  }

  function work({ calls, tries = [], sends }: SimulatedOperation, scene: Scene, from: Caller): Reply {
    let nowMs = from.atMs
    for (const target of tries) nowMs = call(target, scene, { ...from, atMs: nowMs }).endMs
    for (const target of calls) {
      const times = first((fault) => fault.repeats?.(target, scene)) ?? 1
      for (let i = 0; i < times; i++) {
        const reply = call(target, scene, { ...from, atMs: nowMs })
        nowMs = reply.endMs
        if (reply.failure) return { endMs: nowMs, failure: { type: '502', message: '' } }
      }
    }
    if (sends) send(sends, scene, { ...from, atMs: nowMs })
    return { endMs: nowMs, failure: undefined }
  }

  function call(target: string, scene: Scene, from: Caller): Reply {
    const id = random.hex(16)
    const dependency = system.dependencies[target]
    const reply = dependency ? ask(target, dependency, scene, from.atMs) : reach(target, scene, { ...from, id })
    const { serviceName } = namesIn(target)
    spans.push({
      trace: from.trace,
      id,
      parent: from.id,
      kind: 'CLIENT',
      service: scene.serviceName,
      operation: target,
      atMs: from.atMs,
      durationMs: reply.endMs - from.atMs,
      resource: resourceOf(scene),
      attributes: dependency ? dependency.attributes : { 'server.address': serviceName },
      ...failedWith(reply.failure, reply.failure?.type !== '502'),
    })
    return reply
  }

  function ask(name: string, { ms }: SimulatedDependency, scene: Scene, atMs: number): Reply {
    const moreMs = first((fault) => fault.dependencySlower?.(name, scene)) ?? 0
    const failure = first((fault) => fault.dependencyFails?.(name, scene))
    return { endMs: atMs + lognormal(ms, 0.3, random) + moreMs, failure }
  }

  function reach(target: string, scene: Scene, { id, trace, atMs }: Caller): Reply {
    const { serviceName } = namesIn(target)
    if (faults.some((fault) => fault.isDown?.(serviceName, scene.minute)))
      return { endMs: atMs + 1, failure: { type: 'ECONNREFUSED', message: `connect ECONNREFUSED ${serviceName}` } }
    const wayMs = WAY_MS + (first((fault) => fault.networkMs?.(serviceName, scene)) ?? 0) / 2
    const { endMs, failure } = serve(target, id, atMs + wayMs, { ...scene, trace })
    return { endMs: endMs + wayMs, failure: failure && { type: '502', message: '' } }
  }

  function send(target: string, scene: Scene, { id, trace, atMs }: Caller): void {
    const message = { id: random.hex(16), trace, atMs }
    spans.push({
      trace,
      id: message.id,
      parent: id,
      kind: 'PRODUCER',
      service: scene.serviceName,
      operation: `send ${target}`,
      atMs,
      durationMs: 1,
      resource: resourceOf(scene),
      attributes: { 'messaging.system': 'kafka', 'messaging.destination.name': 'orders' },
    })
    if (faults.some((fault) => fault.isDown?.(namesIn(target).serviceName, scene.minute))) return
    serve(target, '', atMs + 20, { ...scene, trace: random.hex(32) }, message)
  }

  function first<T>(of: (fault: Fault) => T | undefined): T | undefined {
    for (const fault of faults) {
      const found = of(fault)
      if (found !== undefined) return found
    }
    return undefined
  }
}

/** At random moments of the minute; how many is up to chance as well. */
function arrivals(minute: number, mean: number, random: SeededRandom): number[] {
  const gap = () => (-Math.log(1 - random.fraction()) * 60_000) / mean
  const times: number[] = []
  for (let at = gap(); at < 60_000; at += gap()) times.push(minute * 60_000 + at)
  return times
}

function lognormal(median: number, sigma: number, random: SeededRandom): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random.fraction())) * Math.cos(2 * Math.PI * random.fraction())
  return median * Math.exp(sigma * normal)
}

function namesIn(target: string): { serviceName: string; operationName: string } {
  const space = target.indexOf(' ')
  return { serviceName: target.slice(0, space), operationName: target.slice(space + 1) }
}

function resourceOf({ serviceName, instance, version }: Scene): Attributes {
  return { 'service.version': version, 'service.instance.id': `${serviceName}-${instance}` }
}

function failedWith(failure: Failure | undefined, isThrown: boolean): SpanLiteral {
  if (failure === undefined) return {}
  const { type, message } = failure
  const attributes = { 'exception.type': type, 'exception.message': message }
  const events = isThrown ? [{ name: 'exception', timeNs: 1n, attributes }] : []
  return { status: 'ERROR', statusMessage: message, events }
}
