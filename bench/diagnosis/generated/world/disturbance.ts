import type { Instance } from './instance.ts'

/** A request at the instance that works on it. */
export interface Scene {
  instance: Instance
  operation: string
  customer: string
  atMs: number
}

export interface Failure {
  type: string
  message: string
  /** The HTTP status with which a service answers that lets it through. */
  status: number
  /** The service catches it, and answers as if all were well, with less than it was asked for. */
  isHandled?: boolean
}

/** What is wrong with one call to something that sends no telemetry. */
export interface Trouble {
  /** How many times as long it takes. */
  factor?: number
  failure?: Failure
  /** How soon it fails; as late as it would have answered, where nothing is said. */
  failsAfterMs?: number
}

/**
 * How the world differs from an ordinary day, as hooks that are asked wherever it matters. What is absent is as usual. Times
 * are milliseconds since the simulation began.
 */
export interface Disturbance {
  /** Nobody listens. */
  isDown?(instance: Instance, atMs: number): boolean
  /** Load of the processors that is not the service's own work; 1 is all there is. */
  stolenLoad?(instance: Instance, atMs: number): number
  /** How many times its usual work the instance has with each request. */
  workFactor?(scene: Scene): number
  /** Waits inside its own code. */
  pauseMs?(scene: Scene): number
  /** Code throws. */
  thrown?(scene: Scene): Failure | undefined
  /** Code answers with a failure without throwing. */
  returned?(scene: Scene): Failure | undefined
  /** One way between a caller and whom it calls. */
  networkMs?(caller: Instance, callee: Instance, atMs: number): number
  /** Of a database, an API outside, or a service that sends nothing. */
  dependency?(name: string, caller: Instance, atMs: number): Trouble | undefined
  /** Connections of a pool that are held and never given back. */
  heldConnections?(instance: Instance, database: string, atMs: number): number
  /** Workers that never come back from what they do. */
  heldWorkers?(instance: Instance, atMs: number): number
  /** How many times as often every statement is sent. */
  statementFactor?(scene: Scene): number
  /** Of the memory limit, beside what is usual. */
  leakedMemory?(instance: Instance, atMs: number): number
  /** How many times as many requests come in. */
  trafficFactor?(atMs: number): number
  retries?(caller: Instance, service: string, usual: number): number
  timeoutMs?(caller: Instance, usual: number, atMs: number): number
  /** How many times as long a consumer needs for each message. */
  consumerFactor?(service: string, atMs: number): number
  version?(service: string, slot: number, atMs: number): string | undefined
  /** Attributes of the resource that settings show in. */
  settings?(service: string, atMs: number): Record<string, string>
  instances?(service: string, atMs: number): number | undefined
}
