import { Random } from '../../../../server/demo/engine/random.ts'
import type { Recorder } from '../emit/recorder.ts'
import type { GeneratedSystem } from '../system/generated-system.ts'
import { requestRates } from '../system/request-rates.ts'
import type { Disturbance } from './disturbance.ts'
import { type Instance, makeInstance } from './instance.ts'
import { Loads } from './load.ts'
import { Queues } from './queues.ts'
import { Wandering } from './wandering.ts'

export interface WorldOptions {
  system: GeneratedSystem
  /** By service; the very ones that disturbances are about. */
  instances: Map<string, Instance[]>
  seed: string
  disturbances: Disturbance[]
}

/** A system as it runs: who there is, and how they are. */
export class World {
  readonly system: GeneratedSystem
  readonly random: Random
  readonly recorder: Recorder
  readonly disturbances: Disturbance[]
  readonly loads: Loads
  readonly queues: Queues
  readonly wandering: Wandering
  readonly #instances: Map<string, Instance[]>

  constructor({ system, instances, seed, disturbances }: WorldOptions, recorder: Recorder) {
    this.system = system
    this.random = new Random(`${seed} events`)
    this.recorder = recorder
    this.disturbances = disturbances
    this.loads = new Loads(disturbances)
    this.wandering = new Wandering(seed, system.style.wandering)
    this.queues = new Queues(requestRates(system).topics)
    this.#instances = instances
  }

  /** All that are up or down at a moment. */
  instancesOf(service: string, atMs: number): Instance[] {
    const all = this.#instances.get(service) ?? []
    const count = this.first(({ instances }) => instances?.(service, atMs))
    return all.slice(0, count ?? all[0]?.service.instances)
  }

  /** One that answers, if any does. */
  choose(service: string, atMs: number): Instance | undefined {
    const up = this.instancesOf(service, atMs).filter((instance) => !this.isDown(instance, atMs))
    return up.length === 0 ? undefined : this.random.pick(up)
  }

  isDown(instance: Instance, atMs: number): boolean {
    return this.disturbances.some(({ isDown }) => isDown?.(instance, atMs))
  }

  /** What the first disturbance that has something to say about it says. */
  first<T>(ask: (disturbance: Disturbance) => T | undefined): T | undefined {
    for (const disturbance of this.disturbances) {
      const answer = ask(disturbance)
      if (answer !== undefined) return answer
    }
    return undefined
  }

  sum(ask: (disturbance: Disturbance) => number | undefined): number {
    return this.disturbances.reduce((total, disturbance) => total + (ask(disturbance) ?? 0), 0)
  }

  product(ask: (disturbance: Disturbance) => number | undefined): number {
    return this.disturbances.reduce((total, disturbance) => total * (ask(disturbance) ?? 1), 1)
  }
}

/** Scaling may need more of them than usually run. */
const SPARE_INSTANCES = 4

/** The same for the same seed, so that a label can name one of them before anything runs. */
export function instancesOf({ services, hosts }: GeneratedSystem, seed: string): Map<string, Instance[]> {
  const random = new Random(`${seed} instances`)
  return new Map(
    services.map((service) => {
      const first = random.integer(hosts.length)
      const instances = Array.from({ length: service.instances + SPARE_INSTANCES }, (_, slot) => {
        const host = hosts[(first + slot) % hosts.length]
        if (host === undefined) throw new Error('a system has no hosts')
        return makeInstance(service, slot, host, random.hex(4))
      })
      return [service.name, instances]
    }),
  )
}
