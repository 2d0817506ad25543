import type { SpanContext } from '@opentelemetry/api'
import type { Recorder } from '../emit/recorder.ts'
import type { Gate } from '../engine/gate.ts'
import type { Kernel, Process } from '../engine/kernel.ts'
import type { Random } from '../engine/random.ts'
import type { ApiName, DatabaseName, TopicName } from '../topology/dependencies.ts'
import type { TrafficKind } from '../topology/traffic.ts'
import type { Instance } from './instance.ts'
import type { Service } from './service.ts'
import type { Topic } from './topic.ts'
import type { Visit } from './visit.ts'

export interface Request {
  operation: string
  visit: Visit
  /** Absent where the sender sends no telemetry: the customers' browsers. */
  caller: SpanContext | undefined
}

/** The status of an answer, as HTTP counts it. */
export interface Reply {
  status: number
}

/** The running shop. Incidents change what is mutable here; everything else follows from that. */
export interface Shop {
  readonly kernel: Kernel
  readonly recorder: Recorder
  readonly random: Random
  readonly ratePerSecond: number
  readonly databases: ReadonlyMap<DatabaseName, Gate>
  readonly topics: ReadonlyMap<TopicName, Topic>
  /** How many times its usual time each outside API takes; 1 where absent. */
  readonly apiSlowdown: Map<ApiName, number>
  /** How many times as often as usual each kind of request comes; 1 where absent. */
  readonly trafficFactor: Map<TrafficKind, number>
  service(name: string): Service
  serve(instance: Instance, request: Request): Process<Reply>
}
