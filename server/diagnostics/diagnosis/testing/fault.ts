import type { SeededRandom } from '../../../storage/conformance/seeded-random.ts'

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
  /** Milliseconds that a service takes longer itself. */
  slower?(scene: Scene): number | undefined
  throws?(scene: Scene): Failure | undefined
  /** Answers as if all were well, without having asked anyone. */
  givesUp?(scene: Scene): boolean
  /** Milliseconds that something outside takes longer. */
  dependencySlower?(dependency: string, scene: Scene): number | undefined
  dependencyFails?(dependency: string, scene: Scene): Failure | undefined
  /** How many times a call is made. */
  repeats?(target: string, scene: Scene): number | undefined
  /** Milliseconds more on the way to a service and back. */
  networkMs?(callee: string, scene: Scene): number | undefined
  /** No instance of it answers, or takes messages. */
  isDown?(serviceName: string, minute: number): boolean
  /** How many times as many requests come. */
  traffic?(entry: string, minute: number): number
  versionOf?(scene: Scene): string | undefined
}

/** In a service, from a minute on, up to another. */
export function inService(serviceName: string, from: number, to = Number.POSITIVE_INFINITY) {
  return (scene: Scene): boolean => scene.serviceName === serviceName && scene.minute >= from && scene.minute < to
}

/** A share of what a service does fails. */
export function throwing(isHit: (scene: Scene) => boolean, share: number, failure: Failure): Fault {
  return { throws: (scene) => (isHit(scene) && scene.random.chance(share) ? failure : undefined) }
}

export function slowing(isHit: (scene: Scene) => boolean, byMs: number): Fault {
  return { slower: (scene) => (isHit(scene) ? byMs : undefined) }
}
