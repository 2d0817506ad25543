import type { DatabaseName, TopicName } from './dependencies.ts'
import type { Step } from './step.ts'

export type Runtime = 'java' | 'nodejs' | 'go' | 'python' | 'dotnet'

/** One service of the shop: its size at the usual load, and its program. */
export interface ServiceSpec {
  name: string
  runtime: Runtime
  version: string
  instances: number
  /** The processor limit of one instance, in cores. */
  cores: number
  /** Requests that one instance works on at once, and how many more it lets wait before it refuses. */
  workers: number
  backlogMax: number
  memoryMiB: number
  /** Connections that one instance may hold to each database. */
  pools: Partial<Record<DatabaseName, number>>
  /** How long a request waits for a connection before it gives up. */
  poolTimeoutMs: number
  /** By name: `GET /path/{parameter}` is HTTP, `package.Service/Method` is gRPC. */
  operations: Record<string, Step[]>
  /** What it does with each message, and how many of them one instance works on at once. */
  consumes: { topic: TopicName; concurrency: number; steps: Step[] }[]
}
