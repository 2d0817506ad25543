import type { Attributes } from '../../../domain/attributes.ts'
import { SeededRandom } from '../../../storage/conformance/seeded-random.ts'
import type { SpanLiteral } from '../../../storage/conformance/span-builder.ts'

/** What a service does for one of its operations: works, and calls others one after the other. */
export interface SimulatedOperation {
  /** Half of its own time is less. */
  ownMs: number
  /** `service operation`, or something outside, which has a space in its name no more than a service has. */
  calls: string[]
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
  /** `service operation`, and how often it is asked, relatively. */
  entries: Record<string, number>
}

/** Where a fault may strike, and what is known there. */
export interface Scene {
  minute: number
  serviceName: string
  operationName: string
  instance: number
  version: string
  customer: string
  region: string
  random: SeededRandom
}

export interface Failure {
  type: string
  message: string
}

/** What goes wrong, as hooks into the simulation. What is absent goes well. */
export interface Fault {
  /** Takes longer inside a service, in milliseconds. */
  slower?(scene: Scene): number | undefined
  throws?(scene: Scene): Failure | undefined
  /** By what a call to a dependency outside takes longer. */
  dependencySlower?(dependency: string, scene: Scene): number | undefined
  dependencyFails?(dependency: string, scene: Scene): Failure | undefined
  /** How many times a call is made. */
  repeats?(target: string, scene: Scene): number
  /** Between a caller and the service that it calls. */
  networkMs?(caller: string, callee: string, scene: Scene): number | undefined
  /** No instance of it answers. */
  isDown?(serviceName: string, minute: number): boolean
  /** How many times as many requests come. */
  traffic?(entry: string, minute: number): number
  versionOf?(serviceName: string, minute: number, instance: number): string | undefined
}

export interface SimulationOptions {
  seed: number
  minutes: number
  requestsPerMinute: number
  faults?: Fault[]
}

const CUSTOMERS = ['acme', 'birch', 'cobalt', 'dune', 'elm', 'fjord', 'gale', 'harbor']
const REGIONS = ['eu-1', 'us-1', 'us-2']

/** Spans of a small system, one trace after the other, from a minute's start on. The same seed gives the same spans. */
export function simulate(system: SimulatedSystem, options: SimulationOptions): SpanLiteral[] {
  const random = new SeededRandom(options.seed)
  const faults = options.faults ?? []
  const spans: SpanLiteral[] = []
  const nextId = () => random.hex(16)
  for (let minute = 0; minute < options.minutes; minute++) {
    for (const [entry, weight] of Object.entries(system.entries)) {
      const factor = faults.reduce((product, fault) => product * (fault.traffic?.(entry, minute) ?? 1), 1)
      for (const atMs of arrivals(minute, options.requestsPerMinute * weight * factor, random)) {
        const customer = random.pick(CUSTOMERS)
        const visit = { trace: random.hex(32), minute, customer, region: random.pick(REGIONS) }
        serve(entry, '', atMs, visit)
      }
    }
  }
  return spans

  interface Visit {
    trace: string
    minute: number
    customer: string
    region: string
  }

  function serve(
    target: string,
    parent: string,
    atMs: number,
    visit: Visit,
  ): { endMs: number; failure: Failure | undefined } {
    const [serviceName = '', operationName = ''] = split(target)
    const service = system.services[serviceName] as SimulatedService
    const operation = service.operations[operationName] as SimulatedOperation
    const instance = random.below(service.instances)
    const version = first((fault) => fault.versionOf?.(serviceName, visit.minute, instance)) ?? service.version
    const scene: Scene = { ...visit, serviceName, operationName, instance, version, random }
    const id = nextId()
    let nowMs = atMs + lognormal(operation.ownMs, 0.4, random) + (first((fault) => fault.slower?.(scene)) ?? 0)
    const thrown = first((fault) => fault.throws?.(scene))
    let failure = thrown
    for (const called of failure ? [] : operation.calls) {
      const repeats = first((fault) => fault.repeats?.(called, scene)) ?? 1
      for (let i = 0; i < repeats && !failure; i++) {
        const reply = call(called, scene, { id, trace: visit.trace, atMs: nowMs })
        nowMs = reply.endMs
        if (reply.failure) failure = { type: '502', message: '' }
      }
    }
    spans.push({
      trace: visit.trace,
      id,
      ...(parent && { parent }),
      kind: 'SERVER',
      service: serviceName,
      operation: operationName,
      atMs,
      durationMs: nowMs - atMs,
      resource: resourceOf(scene),
      attributes: {
        'http.request.method': 'GET',
        'customer.id': visit.customer,
        'client.region': visit.region,
        ...(failure && { 'error.type': failure.type }),
      },
      ...(failure && { status: 'ERROR' as const, statusMessage: failure.message }),
      ...(thrown && { events: [exceptionOf(thrown)] }),
    })
    return { endMs: nowMs, failure }
  }

  function call(target: string, scene: Scene, from: { id: string; trace: string; atMs: number }) {
    const id = nextId()
    const [serviceName = ''] = split(target)
    const dependency = system.dependencies[target]
    const reply = dependency
      ? ask(target, dependency, scene, from.atMs)
      : reach(target, serviceName, scene, { ...from, id })
    spans.push({
      trace: from.trace,
      id,
      parent: from.id,
      kind: 'CLIENT',
      service: scene.serviceName,
      operation: dependency ? `call ${target}` : target,
      atMs: from.atMs,
      durationMs: reply.endMs - from.atMs,
      resource: resourceOf(scene),
      attributes: dependency ? dependency.attributes : { 'server.address': serviceName },
      ...(reply.failure && { status: 'ERROR' as const, statusMessage: reply.failure.message }),
      ...(reply.failure?.type !== '502' && reply.failure && { events: [exceptionOf(reply.failure)] }),
    })
    return reply
  }

  function ask(name: string, { ms }: SimulatedDependency, scene: Scene, atMs: number) {
    const moreMs = first((fault) => fault.dependencySlower?.(name, scene)) ?? 0
    return {
      endMs: atMs + lognormal(ms, 0.3, random) + moreMs,
      failure: first((fault) => fault.dependencyFails?.(name, scene)),
    }
  }

  function reach(
    target: string,
    serviceName: string,
    scene: Scene,
    { id, trace, atMs }: { id: string; trace: string; atMs: number },
  ) {
    if (faults.some((fault) => fault.isDown?.(serviceName, scene.minute)))
      return { endMs: atMs + 1, failure: { type: 'ECONNREFUSED', message: `connect ECONNREFUSED ${serviceName}:8080` } }
    const wayMs = 0.4 + (first((fault) => fault.networkMs?.(scene.serviceName, serviceName, scene)) ?? 0) / 2
    const { endMs, failure } = serve(target, id, atMs + wayMs, { ...scene, trace })
    return { endMs: endMs + wayMs, failure }
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
  const times: number[] = []
  for (let at = gap(); at < 60_000; at += gap()) times.push(minute * 60_000 + at)
  return times

  function gap(): number {
    return (-Math.log(1 - random.fraction()) * 60_000) / mean
  }
}

function lognormal(median: number, sigma: number, random: SeededRandom): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random.fraction())) * Math.cos(2 * Math.PI * random.fraction())
  return median * Math.exp(sigma * normal)
}

function split(target: string): [string, string] {
  const space = target.indexOf(' ')
  return [target.slice(0, space), target.slice(space + 1)]
}

function resourceOf({ serviceName, instance, version }: Scene): Attributes {
  return {
    'service.version': version,
    'service.instance.id': `${serviceName}-${instance}`,
    'host.name': `node-${instance}`,
  }
}

function exceptionOf({ type, message }: Failure) {
  return { name: 'exception', timeNs: 1n, attributes: { 'exception.type': type, 'exception.message': message } }
}
