import { type Resource, resourceFromAttributes } from '@opentelemetry/resources'
import type { Kernel, Process } from '../engine/kernel.ts'
import type { Random } from '../engine/random.ts'
import type { ServiceSpec } from '../topology/service-spec.ts'
import { USUAL_RATE_PER_SECOND } from '../topology/traffic.ts'
import { Instance, type Release } from './instance.ts'

const ROLLOUT_PAUSE_MS = 6000
const NODES = 6

export interface ServiceSetup {
  spec: ServiceSpec
  kernel: Kernel
  random: Random
  ratePerSecond: number
  /** Told of every instance that starts, so that it is measured from then on. */
  onStart: (instance: Instance) => void
}

/** All instances of a service, and the balancer before them. */
export class Service {
  readonly spec: ServiceSpec
  readonly #setup: ServiceSetup
  readonly #capacity: number
  readonly instances: Instance[] = []
  /** What is to be restored when a bad release is taken back. */
  readonly stableRelease: Release

  constructor(setup: ServiceSetup) {
    this.spec = setup.spec
    this.#setup = setup
    this.stableRelease = { version: setup.spec.version, operations: setup.spec.operations }
    const needed = (setup.spec.instances * setup.ratePerSecond) / USUAL_RATE_PER_SECOND
    const count = Math.min(Math.max(Math.round(needed), setup.spec.instances), setup.spec.instances * 4)
    this.#capacity = Math.max(1, needed / count)
    for (let slot = 0; slot < count; slot += 1) this.instances.push(this.#start(slot, this.stableRelease))
  }

  /** Any instance is as likely as any other: the balancer does not know which of them is well. */
  choose(): Instance {
    return this.#setup.random.pick(this.instances)
  }

  /** Replaces the instances one after the other, as a rolling deployment does. Old ones finish what they began. */
  *rollOut(release: Release): Process<void> {
    for (let slot = 0; slot < this.instances.length; slot += 1) {
      const old = this.instances[slot]
      this.instances[slot] = this.#start(slot, release)
      if (old !== undefined) old.isRetired = true
      if (slot + 1 < this.instances.length) yield* this.#setup.kernel.sleep(ROLLOUT_PAUSE_MS)
    }
  }

  #start(slot: number, release: Release): Instance {
    const { spec, kernel, random, onStart } = this.#setup
    const podName = `${spec.name}-${shortHash(spec.name + release.version)}-${random.hex(1).slice(0, 5)}`
    const resource = resourceOf(spec, release, podName, slot, random)
    const instance = new Instance(kernel, { spec, release, resource, podName, capacity: this.#capacity })
    onStart(instance)
    return instance
  }
}

function resourceOf(spec: ServiceSpec, release: Release, podName: string, slot: number, random: Random): Resource {
  const node = (shortHash(spec.name).charCodeAt(0) + slot) % NODES
  const id = random.hex(4)
  return resourceFromAttributes({
    'service.name': spec.name,
    'service.namespace': 'shop',
    'service.version': release.version,
    'service.instance.id': `${id.slice(0, 8)}-${id.slice(8, 12)}-4${id.slice(13, 16)}-a${id.slice(17, 20)}-${id.slice(20)}`,
    'deployment.environment.name': 'production',
    'host.name': `node-${node + 1}`,
    'k8s.node.name': `node-${node + 1}`,
    'k8s.pod.name': podName,
    'k8s.namespace.name': 'shop',
    'k8s.deployment.name': spec.name,
    'cloud.provider': 'aws',
    'cloud.region': node < NODES / 2 ? 'eu-central-1' : 'eu-west-1',
    'telemetry.sdk.name': 'opentelemetry',
    'telemetry.sdk.language': spec.runtime,
  })
}

function shortHash(text: string): string {
  let value = 17
  for (let i = 0; i < text.length; i += 1) value = (Math.imul(value, 131) + text.charCodeAt(i)) >>> 0
  return value.toString(36).padStart(7, 'x').slice(0, 7)
}
