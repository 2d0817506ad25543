import type { Instance } from '../shop/instance.ts'
import type { Runtime } from '../topology/service-spec.ts'
import type { Reading } from './reading.ts'

const MIB = 1_048_576

/** What each runtime reports of itself, under the names of its own conventions. */
export function runtimeReadings(instance: Instance, cpuUtilization: number): Reading[] {
  return [
    gauge('process.cpu.utilization', '1', cpuUtilization),
    updown('process.memory.usage', 'By', residentBytes(instance)),
    ...BY_RUNTIME[instance.spec.runtime](instance, cpuUtilization),
  ]
}

const BY_RUNTIME: Record<Runtime, (instance: Instance, cpuUtilization: number) => Reading[]> = {
  java: (instance, cpuUtilization) => [
    gauge('jvm.cpu.recent_utilization', '1', cpuUtilization),
    updown('jvm.thread.count', '{thread}', 24 + instance.workers.places),
    ...executorReadings(instance),
    ...jvmMemory(instance),
  ],
  nodejs: (instance, cpuUtilization) => [
    gauge('nodejs.eventloop.utilization', '1', Math.min(1, cpuUtilization)),
    gauge('nodejs.eventloop.delay.p99', 's', 0.002 + 0.02 * cpuUtilization ** 4),
    updown('v8js.memory.heap.used', 'By', heapBytes(instance)),
    updown('v8js.memory.heap.limit', 'By', limitBytes(instance)),
  ],
  go: (instance) => [
    updown('go.goroutine.count', '{goroutine}', 18 + 2 * instance.measures.activeRequests),
    updown('go.memory.used', 'By', heapBytes(instance)),
    updown('go.memory.limit', 'By', limitBytes(instance)),
  ],
  python: (instance) => [updown('process.thread.count', '{thread}', 4 + instance.workers.places)],
  dotnet: (instance) => [
    updown('dotnet.thread_pool.thread.count', '{thread}', instance.workers.taken + 4),
    updown('dotnet.thread_pool.queue.length', '{work_item}', instance.workers.waiting),
    updown('dotnet.gc.last_collection.heap.size', 'By', heapBytes(instance)),
  ],
}

function executorReadings({ workers, measures }: Instance): Reading[] {
  const attributes = { 'jvm.executor.name': 'http-worker', 'jvm.executor.type': 'thread_pool' }
  const threads = (state: string, value: number): Reading => ({
    ...updown('jvm.executor.thread.count', '{thread}', value),
    attributes: { ...attributes, 'jvm.executor.thread.state': state },
  })
  return [
    threads('active', workers.taken),
    threads('idle', workers.places - workers.taken),
    { ...updown('jvm.executor.thread.limit', '{thread}', workers.places), attributes },
    { ...updown('jvm.executor.queue.size', '{task}', workers.waiting), attributes },
    { ...updown('jvm.executor.queue.capacity', '{task}', workers.lineMax), attributes },
    { ...updown('jvm.executor.task.rejected', '{task}', measures.rejected), type: 'counter', attributes },
  ]
}

function jvmMemory(instance: Instance): Reading[] {
  const attributes = { 'jvm.memory.type': 'heap', 'jvm.memory.pool.name': 'G1 Old Gen' }
  return [
    { ...updown('jvm.memory.used', 'By', heapBytes(instance)), attributes },
    { ...updown('jvm.memory.limit', 'By', limitBytes(instance)), attributes },
  ]
}

/** Every request leaves garbage; when a third of the limit has gathered, it is collected. */
function heapBytes(instance: Instance): number {
  const limit = limitBytes(instance)
  const garbage = (instance.measures.requests * 0.12 * MIB) % (limit * 0.33)
  return Math.round(limit * 0.25 + garbage + instance.measures.activeRequests * 0.2 * MIB)
}

function residentBytes(instance: Instance): number {
  return heapBytes(instance) + 40 * MIB
}

function limitBytes(instance: Instance): number {
  return instance.spec.memoryMiB * MIB
}

const gauge = (name: string, unit: string, value: number): Reading => ({ name, unit, type: 'gauge', value })
const updown = (name: string, unit: string, value: number): Reading => ({ name, unit, type: 'updown', value })
