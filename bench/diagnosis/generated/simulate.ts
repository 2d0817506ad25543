import { recordMetrics } from './emit/instance-metrics.ts'
import { Recorder } from './emit/recorder.ts'
import { resourceWriter } from './emit/resource-of.ts'
import { type GeneratedSystem, operationNamed, serviceNamed } from './system/generated-system.ts'
import type { Disturbance } from './world/disturbance.ts'
import type { Instance } from './world/instance.ts'
import { serveRequest } from './world/serve-request.ts'
import { World } from './world/world.ts'

export interface SimulationOptions {
  system: GeneratedSystem
  instances: Map<string, Instance[]>
  seed: string
  disturbances: Disturbance[]
  /** Where on the calendar it all happens, for what depends on the time of day. */
  startEpochMs: number
  /** How much later it is said to have happened. */
  moveMs: number
  endMs: number
}

const DAY_MS = 86_400_000

/** Lets a system live for a while, and returns what it told of itself. */
export function simulate(options: SimulationOptions): Recorder {
  const { system, instances, seed, disturbances, startEpochMs, moveMs, endMs } = options
  const resourceOf = resourceWriter(system, disturbances)
  const recorder = new Recorder({ system, seed, startEpochMs: startEpochMs + moveMs, endMs, resourceOf })
  const world = new World({ system, instances, seed, disturbances }, recorder)
  const { random } = world
  const mostPerMs = peakPerMs(world)
  for (let atMs = random.exponential(1 / mostPerMs); atMs < endMs; atMs += random.exponential(1 / mostPerMs))
    if (random.chance(ratePerMs(world, startEpochMs, atMs) / mostPerMs)) visit(world, atMs)
  recordMetrics(world, endMs)
  return recorder
}

/** A customer comes in where customers do. */
function visit(world: World, atMs: number): void {
  const { random, system } = world
  const { service, operation } = weighted(world)
  const instance = world.choose(service, atMs)
  if (instance === undefined) return
  // Some customers come much more often than others.
  const customer = system.customers[Math.floor(random.unit() ** 1.5 * system.customers.length)] ?? ''
  const visited = { customer, id: String(10_000 + random.integer(90_000)), parent: undefined }
  serveRequest(world, instance, operationNamed(serviceNamed(system, service), operation), visited, atMs)
}

function weighted({ random, system: { entries } }: World): GeneratedSystem['entries'][0] {
  let left = random.unit() * entries.reduce((sum, { weight }) => sum + weight, 0)
  for (const entry of entries) {
    left -= entry.weight
    if (left < 0) return entry
  }
  return random.pick(entries)
}

function ratePerMs(world: World, startEpochMs: number, atMs: number): number {
  const { requestsPerSecond, rhythm } = world.system
  const ofDay = 1 + rhythm * Math.sin((2 * Math.PI * (startEpochMs + atMs)) / DAY_MS)
  return (requestsPerSecond / 1000) * ofDay * world.product(({ trafficFactor }) => trafficFactor?.(atMs))
}

/** No disturbance brings more traffic than this. */
const TRAFFIC_FACTOR_MAX = 6

function peakPerMs({ system, disturbances }: World): number {
  const isChanged = disturbances.some(({ trafficFactor }) => trafficFactor)
  return (system.requestsPerSecond / 1000) * (1 + system.rhythm) * (isChanged ? TRAFFIC_FACTOR_MAX : 1)
}
