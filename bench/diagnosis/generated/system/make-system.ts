import type { Random } from '../../../../server/demo/engine/random.ts'
import type { Runtime } from '../../../../server/demo/topology/service-spec.ts'
import type { Condition } from '../conditions.ts'
import type { ApiSpec, DatabaseSpec, GeneratedSystem, ServiceSpec, TopicSpec } from './generated-system.ts'
import { type Below, callTo, compute, makeOperation, operationName, queries } from './make-operation.ts'
import { makeStyle } from './make-style.ts'
import { Names } from './names.ts'
import { operationKey, type SpanCounts, spansOfSteps } from './span-counts.ts'

const RUNTIMES: Runtime[] = ['java', 'nodejs', 'go', 'python', 'dotnet']
const SERVICES_MIN = 5
const SERVICES_MORE = 26
const CUSTOMERS = 6
/** Where requests come in; only these have no callers. */
const ENTRIES_MAX = 2
/** How many spans a minute a system sends, so that an incident fits into memory. */
const SPANS_PER_MINUTE = 1100
const REQUESTS_PER_MINUTE_MAX = 150

/** A system that never was: services that call each other without circles, and what they lean on. */
export function makeSystem(random: Random, condition: Condition): GeneratedSystem {
  const names = new Names(random)
  const count = SERVICES_MIN + Math.floor(random.unit() ** 1.5 * SERVICES_MORE)
  const databases = many(random, 2 + count / 4, () => makeDatabase(random, names))
  const apis = many(random, 1 + count / 8, () => makeApi(random, names))
  const topics = many(random, 1 + count / 10, () => makeTopic(random, names))
  const counts: SpanCounts = new Map()
  const services: ServiceSpec[] = []
  // From the last to the first, so that whoever calls knows whom.
  for (let index = count - 1; index >= 0; index--) {
    const below = {
      services: services.slice(0, 12),
      databases: some(random, databases, 0.6),
      apis: some(random, apis, 0.25),
      topics: some(random, topics, 0.2),
      counts,
    }
    services.unshift(makeService(random, names, below, index < ENTRIES_MAX))
    countSpans(services[0], counts)
  }
  connect(random, names, services, topics, counts)
  const style = makeStyle(random, names, condition)
  if (condition === 'partial instrumentation') silence(random, services)
  // Whoever's spans say nothing of failures has at least a log.
  if (style.style.failuresShow === 'not at all') for (const service of services) service.sendsLogs = true
  const system = { services, databases, apis, topics, ...style, rhythm: random.unit() * 0.3 }
  const entries = entriesOf(random, services)
  const customers = Array.from({ length: CUSTOMERS }, () => names.thing())
  const keptPerSecond = rateOf(random, entries, counts, condition)
  return { ...system, entries, customers, requestsPerSecond: keptPerSecond / style.style.sampledShare }
}

function makeService(random: Random, names: Names, below: Below, isEntry: boolean): ServiceSpec {
  const isGrpc = !isEntry && random.chance(0.3)
  const operations = Array.from({ length: 1 + random.integer(3) }, () =>
    makeOperation(random, names, operationName(random, names, isGrpc), below),
  )
  return {
    name: names.service(),
    runtime: random.pick(RUNTIMES),
    version: names.version(),
    instances: random.pick([1, 2, 2, 3, 3, 4]),
    usualLoad: 0.06 + random.unit() * 0.3,
    workers: random.pick([8, 16, 32, 64]),
    memoryMiB: random.pick([256, 512, 1024, 2048]),
    poolSize: random.pick([5, 10, 20]),
    sendsSpans: true,
    sendsLogs: random.chance(0.8),
    sendsMetrics: random.chance(0.85),
    recordsExceptions: random.chance(0.8),
    operations,
    consumes: [],
  }
}

/** Whoever nobody calls yet is called by someone before it; every topic is read by someone. */
function connect(random: Random, names: Names, services: ServiceSpec[], topics: TopicSpec[], counts: SpanCounts): void {
  const called = new Set(services.flatMap(({ operations }) => operations.flatMap(({ steps }) => targetsOf(steps))))
  for (const [index, service] of services.entries()) {
    if (index < ENTRIES_MAX || called.has(service.name)) continue
    const caller = services[Math.max(0, index - 1 - random.integer(Math.min(index, 4)))]
    const operation = caller && random.pick(caller.operations)
    operation?.steps.splice(1, 0, callTo(random, service))
  }
  for (const topic of topics) {
    const consumer = random.pick(services.slice(ENTRIES_MAX))
    const steps = [compute(random), ...ownQueries(random, names, consumer), compute(random)]
    consumer.consumes.push({ topic: topic.name, steps })
  }
  for (const service of services.toReversed()) countSpans(service, counts)
}

/** A service asks the databases that it asks anyway. */
function ownQueries(random: Random, names: Names, { operations }: ServiceSpec) {
  const asked = operations.flatMap(({ steps }) => steps.flatMap((step) => (step.do === 'query' ? [step.database] : [])))
  return asked[0] === undefined ? [] : queries(random, names, asked[0])
}

function targetsOf(steps: GeneratedSystem['services'][0]['operations'][0]['steps']): string[] {
  return steps.flatMap((step) =>
    step.do === 'call' ? [step.service] : step.do === 'together' ? targetsOf(step.branches) : [],
  )
}

function countSpans(service: ServiceSpec | undefined, counts: SpanCounts): void {
  for (const { name, steps } of service?.operations ?? [])
    counts.set(operationKey(service?.name ?? '', name), 1 + spansOfSteps(steps, counts))
}

function silence(random: Random, services: ServiceSpec[]): void {
  for (const service of services.slice(ENTRIES_MAX)) service.sendsSpans = !random.chance(0.25)
}

function entriesOf(random: Random, services: ServiceSpec[]): GeneratedSystem['entries'] {
  return services
    .slice(0, ENTRIES_MAX)
    .flatMap(({ name, operations }) =>
      operations.map((operation) => ({ service: name, operation: operation.name, weight: 0.3 + random.unit() })),
    )
}

function rateOf(random: Random, entries: GeneratedSystem['entries'], counts: SpanCounts, condition: Condition): number {
  const weights = entries.reduce((sum, { weight }) => sum + weight, 0)
  const spans = entries.reduce(
    (sum, { service, operation, weight }) =>
      sum + (weight / weights) * (counts.get(operationKey(service, operation)) ?? 1),
    0,
  )
  const perMinute = Math.min(REQUESTS_PER_MINUTE_MAX, (SPANS_PER_MINUTE * (0.5 + random.unit())) / spans)
  return (condition === 'low traffic' ? Math.min(12, perMinute / 5) : perMinute) / 60
}

function makeDatabase(random: Random, names: Names): DatabaseSpec {
  const system = random.pick(['postgresql', 'postgresql', 'mysql', 'redis', 'mongodb'] as const)
  const name = names.thing()
  return { name, system, address: `${name}-${system}.internal` }
}

function makeApi(random: Random, names: Names): ApiSpec {
  const name = names.thing()
  return {
    name,
    address: `api.${name}.example`,
    medianMs: random.lognormal(80, 0.5),
    errorShare: random.unit() * 0.004,
  }
}

function makeTopic(random: Random, names: Names): TopicSpec {
  const name = `${names.thing()}.${random.pick(['created', 'changed', 'requested'])}`
  return { name, system: random.pick(['kafka', 'rabbitmq']), isLinked: random.chance(0.6) }
}

function many<T>(random: Random, about: number, make: () => T): T[] {
  return Array.from({ length: Math.max(1, Math.round(about * (0.6 + random.unit() * 0.8))) }, make)
}

/** The name of one of them, or none. */
function some(random: Random, things: { name: string }[], share: number): string[] {
  return random.chance(share) ? [random.pick(things).name] : []
}
