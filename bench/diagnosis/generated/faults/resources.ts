import type { ServiceSpec, Style } from '../system/generated-system.ts'
import { databasesOf } from '../system/leans-on.ts'
import type { Instance } from '../world/instance.ts'
import { databaseNames } from './dependencies.ts'
import { type PlanFault, pickService, share } from './stage.ts'

const RUNTIMES_WITH_LIMIT = ['java', 'nodejs', 'go']

/** Something else, on the same machines or in the same process, takes the processors. */
export const cpuSaturation: PlanFault = (stage) => {
  const service = pickService(stage, ({ sendsMetrics }) => sendsMetrics)
  if (service === undefined) return undefined
  const { random, onsetMs } = stage
  const stolen = share(random, 0.75, 1.02) - service.usualLoad * 0.5
  return {
    faults: [{ serviceNames: [service.name], causes: ['cpuSaturation'] }],
    disturbances: [{ stolenLoad: ({ service: at }, atMs) => (at === service && atMs >= onsetMs ? stolen : 0) }],
  }
}

/** Memory runs full over many minutes; then collecting garbage takes all the time there is, and instances are killed. */
export const memoryLeak: PlanFault = (stage) => {
  const service = pickService(stage, (each) => each.sendsMetrics && tellsItsLimit(each, stage.system.style))
  if (service === undefined) return undefined
  const { random, endMs } = stage
  const onsetMs = endMs - share(random, 9, 16) * 60_000
  const fullMs = endMs - share(random, 1, 3) * 60_000
  const leaked = (instance: Instance, atMs: number) =>
    instance.service === service && atMs > onsetMs ? (0.56 * (atMs - onsetMs)) / (fullMs - onsetMs) : 0
  // Collecting begins to hurt from three quarters of the limit on.
  const strain = (instance: Instance, atMs: number) => Math.max(0, Math.min(1, (leaked(instance, atMs) - 0.36) / 0.2))
  return {
    faults: [{ serviceNames: [service.name], causes: ['memoryPressure'] }],
    disturbances: [
      {
        leakedMemory: leaked,
        stolenLoad: (instance, atMs) => strain(instance, atMs) * (0.75 - service.usualLoad),
        pauseMs: ({ instance, atMs }) =>
          random.chance(strain(instance, atMs) * 0.5) ? random.lognormal(400 * strain(instance, atMs), 0.6) : 0,
      },
    ],
    isGradual: true,
    onsetMs,
  }
}

/** Connections are not given back, until there are none. */
export const poolExhaustion: PlanFault = (stage) => {
  const service = pickService(stage, (each) => databasesOf(each).length > 0)
  if (service === undefined) return undefined
  const { random, onsetMs, system } = stage
  const database = random.pick(databasesOf(service))
  const gonePerMs = service.poolSize / share(random, 10_000, 60_000)
  const held = (atMs: number) => Math.min(service.poolSize, Math.max(0, (atMs - onsetMs) * gonePerMs))
  return {
    faults: [
      {
        serviceNames: [service.name],
        causes: ['connectionPoolExhaustion'],
        culprit: { what: 'dependency', names: databaseNames(system, database) },
      },
    ],
    disturbances: [
      { heldConnections: ({ service: at }, name, atMs) => (at === service && name === database ? held(atMs) : 0) },
    ],
  }
}

/** Workers wait for each other and never come back. */
export const threadExhaustion: PlanFault = (stage) => {
  const service = pickService(stage)
  if (service === undefined) return undefined
  const { random, onsetMs } = stage
  const gonePerMs = service.workers / share(random, 10_000, 60_000)
  return {
    faults: [{ serviceNames: [service.name], causes: ['threadPoolExhaustion'] }],
    disturbances: [
      {
        heldWorkers: ({ service: at }, atMs) =>
          at === service ? Math.min(service.workers, Math.max(0, (atMs - onsetMs) * gonePerMs)) : 0,
      },
    ],
  }
}

function tellsItsLimit({ runtime }: ServiceSpec, { identity }: Style): boolean {
  return identity.includes('k8s.pod.name') || RUNTIMES_WITH_LIMIT.includes(runtime)
}
