import type { Resource } from '@opentelemetry/resources'
import { DIALECTS, type Dialect } from '../emit/dialect.ts'
import { InstanceMeasures } from '../emit/instance-measures.ts'
import { Gate } from '../engine/gate.ts'
import type { Kernel } from '../engine/kernel.ts'
import { Processor } from '../engine/processor.ts'
import type { DatabaseName, TopicName } from '../topology/dependencies.ts'
import type { ServiceSpec } from '../topology/service-spec.ts'
import type { Step } from '../topology/step.ts'
import { ConnectionPool } from './connection-pool.ts'

/** A version of a service, and what it does for each operation. */
export interface Release {
  readonly version: string
  readonly operations: Readonly<Record<string, readonly Step[]>>
}

export interface InstanceSetup {
  spec: ServiceSpec
  release: Release
  resource: Resource
  podName: string
  /** How much more than the table says this instance can do, for rates that the usual instances cannot carry. */
  capacity: number
}

/** One running copy of a service, with everything of it that is finite. */
export class Instance {
  readonly spec: ServiceSpec
  readonly release: Release
  readonly resource: Resource
  readonly podName: string
  readonly dialect: Dialect
  readonly processor: Processor
  readonly workers: Gate
  readonly pools = new Map<DatabaseName, ConnectionPool>()
  readonly consuming = new Map<TopicName, number>()
  readonly measures: InstanceMeasures
  readonly capacity: number
  /** Databases that this instance cannot reach. */
  readonly cutOff = new Set<DatabaseName>()
  isRetired = false

  constructor(kernel: Kernel, setup: InstanceSetup) {
    const { spec, capacity } = setup
    this.spec = spec
    this.release = setup.release
    this.resource = setup.resource
    this.podName = setup.podName
    this.capacity = capacity
    this.dialect = DIALECTS[spec.runtime]
    this.processor = new Processor(kernel, spec.cores * capacity)
    this.workers = new Gate(kernel, Math.ceil(spec.workers * capacity), Math.ceil(spec.backlogMax * capacity))
    for (const [name, connectionsMax] of Object.entries(spec.pools) as [DatabaseName, number][]) {
      this.pools.set(name, new ConnectionPool(kernel, name, Math.ceil(connectionsMax * capacity), spec.poolTimeoutMs))
    }
    this.measures = new InstanceMeasures()
  }

  pool(name: DatabaseName): ConnectionPool {
    const pool = this.pools.get(name)
    if (pool === undefined) throw new Error(`${this.spec.name} has no connections to ${name}.`)
    return pool
  }
}
