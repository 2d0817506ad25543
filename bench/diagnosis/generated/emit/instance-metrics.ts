import type { Runtime } from '../../../../server/demo/topology/service-spec.ts'
import { databasesOf } from '../system/leans-on.ts'
import { requestRates } from '../system/request-rates.ts'
import type { Instance } from '../world/instance.ts'
import type { World } from '../world/world.ts'
import type { Values } from './otlp-json.ts'
import type { Reading } from './reading.ts'

interface State {
  cpu: number
  memory: number
  memoryLimitBytes: number
  workersBusy: number
  workersWaiting: number
}

const MIB = 1_048_576
const USUAL_MEMORY = 0.42
/** Of the connections, at the usual load. */
const USUAL_POOL_USE = 0.15

/** Writes down what every instance measures of itself, all through the simulation. */
export function recordMetrics(world: World, endMs: number): void {
  const { system } = world
  const rates = requestRates(system).topics
  for (const { name, sendsMetrics } of system.services) {
    if (!sendsMetrics) continue
    const firstMs = world.random.unit() * system.style.metricsEveryMs
    for (let atMs = firstMs; atMs < endMs; atMs += system.style.metricsEveryMs)
      for (const instance of world.instancesOf(name, atMs)) {
        if (world.isDown(instance, atMs)) continue
        const readings = readingsOf(world, instance, atMs, rates)
        world.recorder.metrics(instance, atMs, readings)
      }
  }
}

function readingsOf(world: World, instance: Instance, atMs: number, topicRates: Map<string, number>): Reading[] {
  const state = stateOf(world, instance, atMs)
  const { style } = world.system
  return [
    { name: 'process.cpu.utilization', unit: '1', value: state.cpu },
    ...(style.identity.includes('k8s.pod.name') ? podReadings(state) : []),
    ...BY_RUNTIME[instance.service.runtime](state, instance),
    ...poolReadings(world, instance, atMs),
    ...lagReadings(world, instance, atMs, topicRates),
  ]
}

function stateOf(world: World, instance: Instance, atMs: number): State {
  const { random, loads } = world
  const { demand, backlogMs } = loads.at(instance, atMs)
  const { workers, memoryMiB, usualLoad } = instance.service
  const held = world.sum(({ heldWorkers }) => heldWorkers?.(instance, atMs))
  const sawtooth = ((atMs / 90_000 + instance.slot * 0.37) % 1) * 0.18
  const leaked = world.sum(({ leakedMemory }) => leakedMemory?.(instance, atMs))
  const waiting = held >= workers ? 5 + random.integer(20) : Math.round(backlogMs / 150)
  return {
    cpu: Math.min(1, demand * random.lognormal(1, 0.08)),
    memory: Math.min(0.995, USUAL_MEMORY + leaked + sawtooth * Math.max(0, 1 - leaked * 2)),
    memoryLimitBytes: memoryMiB * MIB,
    workersBusy: Math.min(workers, Math.round(held + workers * usualLoad * 0.4 + (backlogMs > 0 ? workers : 0))),
    workersWaiting: waiting,
  }
}

const BY_RUNTIME: Record<Runtime, (state: State, instance: Instance) => Reading[]> = {
  java: (state, { service }) => [
    { name: 'jvm.cpu.recent_utilization', unit: '1', value: state.cpu },
    bytes('jvm.memory.used', state, { 'jvm.memory.type': 'heap' }),
    { name: 'jvm.memory.limit', unit: 'By', value: state.memoryLimitBytes, attributes: { 'jvm.memory.type': 'heap' } },
    threads('active', state.workersBusy),
    threads('idle', service.workers - state.workersBusy),
    { name: 'jvm.executor.thread.limit', unit: '{thread}', value: service.workers, attributes: EXECUTOR },
    { name: 'jvm.executor.queue.size', unit: '{task}', value: state.workersWaiting, attributes: EXECUTOR },
  ],
  nodejs: (state) => [
    { name: 'nodejs.eventloop.utilization', unit: '1', value: state.cpu },
    bytes('v8js.memory.heap.used', state),
    { name: 'v8js.memory.heap.limit', unit: 'By', value: state.memoryLimitBytes },
  ],
  go: (state) => [
    bytes('go.memory.used', state),
    { name: 'go.memory.limit', unit: 'By', value: state.memoryLimitBytes },
    { name: 'go.goroutine.count', unit: '{goroutine}', value: 20 + state.workersBusy + state.workersWaiting },
  ],
  python: (state) => [bytes('process.memory.usage', state)],
  dotnet: (state) => [
    { name: 'dotnet.thread_pool.thread.count', unit: '{thread}', value: state.workersBusy + 4 },
    { name: 'dotnet.thread_pool.queue.length', unit: '{work_item}', value: state.workersWaiting },
    bytes('dotnet.gc.last_collection.heap.size', state),
  ],
}

const EXECUTOR = { 'jvm.executor.name': 'http-worker' }

function threads(state: string, value: number): Reading {
  const attributes = { ...EXECUTOR, 'jvm.executor.thread.state': state }
  return { name: 'jvm.executor.thread.count', unit: '{thread}', value, attributes }
}

function bytes(name: string, { memory, memoryLimitBytes }: State, attributes: Values = {}): Reading {
  return { name, unit: 'By', value: Math.round(memory * memoryLimitBytes), attributes }
}

function podReadings({ cpu, memory, memoryLimitBytes }: State): Reading[] {
  return [
    { name: 'k8s.pod.cpu_limit_utilization', unit: '1', value: cpu },
    { name: 'k8s.pod.memory_limit_utilization', unit: '1', value: memory },
    { name: 'k8s.pod.memory.usage', unit: 'By', value: Math.round(memory * memoryLimitBytes) },
  ]
}

function poolReadings(world: World, instance: Instance, atMs: number): Reading[] {
  const { poolSize } = instance.service
  return databasesOf(instance.service).flatMap((database) => {
    const held = world.sum(({ heldConnections }) => heldConnections?.(instance, database, atMs))
    const factor = world.first(({ dependency }) => dependency?.(database, instance, atMs))?.factor ?? 1
    const usual = poolSize * USUAL_POOL_USE * Math.min(factor, 4) * world.random.lognormal(1, 0.3)
    const used = Math.min(poolSize, Math.round(held + usual))
    const waiting = held >= poolSize * 0.95 ? 3 + world.random.integer(12) : 0
    const attributes = { 'db.client.connection.pool.name': database }
    const count = (state: string, value: number): Reading => ({
      name: 'db.client.connection.count',
      unit: '{connection}',
      value,
      attributes: { ...attributes, 'db.client.connection.state': state },
    })
    return [
      count('used', used),
      count('idle', poolSize - used),
      { name: 'db.client.connection.max', unit: '{connection}', value: poolSize, attributes },
      { name: 'db.client.connection.pending_requests', unit: '{request}', value: waiting, attributes },
    ]
  })
}

/** How far readers are behind, in messages. */
function lagReadings(world: World, instance: Instance, atMs: number, topicRates: Map<string, number>): Reading[] {
  const { name, consumes } = instance.service
  return consumes.map(({ topic }) => {
    const behindMs = world.queues.lagMs(name, topic, atMs)
    const value = Math.round((behindMs / 1000) * (topicRates.get(topic) ?? 0))
    const attributes = { 'messaging.destination.name': topic, 'messaging.consumer.group.name': name }
    return { name: 'kafka.consumer.records_lag', unit: '{message}', value, attributes }
  })
}
