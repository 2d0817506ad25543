import { collectMetrics } from '../emit/collect-metrics.ts'
import { Recorder } from '../emit/recorder.ts'
import { Gate } from '../engine/gate.ts'
import { Kernel } from '../engine/kernel.ts'
import { Random } from '../engine/random.ts'
import { DATABASES, type DatabaseName, TOPICS, type TopicName } from '../topology/dependencies.ts'
import { SERVICES } from '../topology/services.ts'
import { USUAL_RATE_PER_SECOND } from '../topology/traffic.ts'
import { joinTopic } from './consume-message.ts'
import { letCustomersIn } from './customers.ts'
import { serveRequest } from './serve-request.ts'
import { Service } from './service.ts'
import type { Shop } from './shop.ts'
import { Topic } from './topic.ts'

export interface ShopOptions {
  seed: string
  ratePerSecond: number
  /** Whole milliseconds: where on the calendar virtual time begins. */
  startEpochMs: number
}

/** Opens the shop's doors at the virtual time 0. Each kind of chance has its own source, so that they stay independent. */
export function createShop({ seed, ratePerSecond, startEpochMs }: ShopOptions): Shop {
  const kernel = new Kernel()
  // Ids differ between runs of one seed at different times: a store that has seen a span refuses it the second time.
  const recorder = new Recorder(kernel, new Random(`${seed} ids ${startEpochMs}`), startEpochMs)
  const random = new Random(`${seed} work`)
  const services = new Map<string, Service>()
  const shop: Shop = {
    kernel,
    recorder,
    random,
    ratePerSecond,
    databases: createDatabases(kernel, ratePerSecond),
    topics: new Map((Object.keys(TOPICS) as TopicName[]).map((name) => [name, new Topic(name)])),
    apiSlowdown: new Map(),
    trafficFactor: new Map(),
    service: (name) => find(services, name),
    serve: (instance, request) => serveRequest(shop, instance, request),
  }
  const placement = new Random(`${seed} placement`)
  for (const spec of SERVICES) {
    const onStart = collectMetrics(shop)
    services.set(spec.name, new Service({ spec, kernel, random: placement, ratePerSecond, onStart }))
  }
  for (const service of services.values()) joinTopics(shop, service)
  letCustomersIn(shop, new Random(`${seed} customers`))
  return shop
}

function createDatabases(kernel: Kernel, ratePerSecond: number): Map<DatabaseName, Gate> {
  const scale = Math.max(1, ratePerSecond / USUAL_RATE_PER_SECOND)
  const names = Object.keys(DATABASES) as DatabaseName[]
  return new Map(names.map((name) => [name, new Gate(kernel, Math.ceil(DATABASES[name].concurrency * scale))]))
}

function joinTopics(shop: Shop, service: Service): void {
  for (const consumption of service.spec.consumes) {
    joinTopic(shop, service, find(shop.topics, consumption.topic), consumption)
  }
}

function find<K, V>(map: ReadonlyMap<K, V>, key: K): V {
  const value = map.get(key)
  if (value === undefined) throw new Error(`The shop has no ${String(key)}.`)
  return value
}
