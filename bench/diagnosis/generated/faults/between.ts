import { callersOf } from '../system/request-rates.ts'
import { type PlanFault, pickService, share, strength, visibleCallers } from './stage.ts'

/** With fewer calls there is no storm. */
const STORM_CALLS_PER_MINUTE_MIN = 15

/** Every instance of a service is gone: nobody answers, and callers are refused. */
export const crash: PlanFault = (stage) => {
  const service = pickService(stage, ({ name }) => visibleCallers(stage, name).length > 0)
  if (service === undefined) return undefined
  return {
    faults: [{ serviceNames: [service.name], causes: ['unreachableService'] }],
    disturbances: [{ isDown: ({ service: at }, atMs) => at === service && atMs >= stage.onsetMs }],
  }
}

/** Packets to and from a service are held back. */
export const networkDelay: PlanFault = (stage) => {
  const service = pickService(stage, ({ name }) => visibleCallers(stage, name).length > 0)
  if (service === undefined) return undefined
  const { random, onsetMs } = stage
  const ms = strength(stage, 8, 300)
  return {
    faults: [{ serviceNames: [service.name], causes: ['networkDelay'] }],
    disturbances: [
      {
        networkMs: (_, callee, atMs) =>
          callee.service === service && atMs >= onsetMs ? random.lognormal(ms, 0.15) : 0,
      },
    ],
  }
}

/** A short weakness is over soon, but those who call again and again do not let the service recover. */
export const retryStorm: PlanFault = (stage) => {
  const { random, onsetMs, rates } = stage
  const service = pickService(stage, ({ name }) => {
    const isCalled = visibleCallers(stage, name).length > 0
    return isCalled && (rates.services.get(name) ?? 0) * 60 >= STORM_CALLS_PER_MINUTE_MIN
  })
  if (service === undefined) return undefined
  service.usualLoad = share(random, 0.38, 0.5)
  const callers = new Set(callersOf(rates, service.name).map(({ caller }) => caller))
  const weakUntilMs = onsetMs + 40_000
  return {
    faults: [{ serviceNames: [service.name, ...callers], causes: ['retryStorm'] }],
    disturbances: [
      {
        stolenLoad: ({ service: at }, atMs) => (at === service && atMs >= onsetMs && atMs < weakUntilMs ? 0.9 : 0),
        retries: (caller, target, usual) => (target === service.name && callers.has(caller.service.name) ? 4 : usual),
        timeoutMs: (caller, usual) => (callers.has(caller.service.name) ? Math.min(usual, 1500) : usual),
      },
    ],
  }
}

/** More requests come in than the weakest service can serve. */
export const trafficSurge: PlanFault = (stage) => {
  const { random, onsetMs, system } = stage
  const service = pickService(stage)
  if (service === undefined) return undefined
  for (const other of system.services) other.usualLoad = Math.min(other.usualLoad, 0.12)
  service.usualLoad = share(random, 0.34, 0.45)
  const factor = share(random, 2.6, 4.5)
  const entries = new Set(system.entries.map((entry) => entry.service))
  return {
    faults: [{ serviceNames: [service.name, ...entries], causes: ['trafficSurge'] }],
    disturbances: [{ trafficFactor: (atMs) => (atMs >= onsetMs ? factor : 1) }],
  }
}

/** Readers of a topic become too slow for what is sent to it. */
export const queueCascade: PlanFault = (stage) => {
  const { random, onsetMs, rates } = stage
  const service = pickService(stage, ({ consumes }) =>
    consumes.some(({ topic }) => (rates.topics.get(topic) ?? 0) * 60 * stage.system.style.sampledShare >= 4),
  )
  if (service === undefined) return undefined
  const factor = share(random, 4, 8)
  const ms = share(random, 300, 2000)
  return {
    faults: [{ serviceNames: [service.name], causes: ['queueBacklog', 'slowCode'] }],
    disturbances: [
      {
        consumerFactor: (name, atMs) => (name === service.name && atMs >= onsetMs ? factor : 1),
        pauseMs: ({ instance, operation, atMs }) =>
          instance.service === service && operation.startsWith('process ') && atMs >= onsetMs
            ? random.lognormal(ms, 0.4)
            : 0,
      },
    ],
  }
}
