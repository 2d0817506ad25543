import { identityOf } from '../emit/resource-of.ts'
import type { Instance } from '../world/instance.ts'
import { mechanism } from './own-code.ts'
import { isBusy, type PlanFault, pickService, type Stage } from './stage.ts'

const ROLL_OUT_STEP_MS = 15_000

/** One instance is ill, the others are well. */
export const badInstance: PlanFault = (stage) => {
  const { rates, random, system } = stage
  const service = pickService(stage, ({ name, instances }) => {
    return instances > 1 && isBusy(stage, (rates.services.get(name) ?? 0) / instances)
  })
  if (service === undefined) return undefined
  const ill = random.pick(runningOf(stage, service.name))
  const { disturbance } = mechanism(stage, service, ({ instance }) => instance === ill)
  const identity = identityOf(system, ill, service.version)
  const own = Object.entries(identity).filter(([key]) => key !== 'host.name')
  const names = (own.length > 0 ? own : Object.entries(identity)).map(([, value]) => String(value))
  const culprit = { what: 'instance' as const, names }
  return { faults: [{ serviceNames: [service.name], causes: ['badInstance'], culprit }], disturbances: [disturbance] }
}

/** A new version is worse than the one before. It comes instance by instance. */
export const badVersion: PlanFault = (stage) => {
  const service = pickService(stage)
  if (service === undefined) return undefined
  const { random, onsetMs } = stage
  const version = nextVersion(service.version, random.integer(3))
  const versionOf = (name: string, slot: number, atMs: number) =>
    name === service.name && atMs >= onsetMs + slot * ROLL_OUT_STEP_MS ? version : undefined
  const { disturbance } = mechanism(
    stage,
    service,
    ({ instance, atMs }) => instance.service === service && versionOf(service.name, instance.slot, atMs) !== undefined,
  )
  const culprit = { what: 'version' as const, names: [version] }
  return {
    faults: [{ serviceNames: [service.name], causes: ['badDeployment'], culprit }],
    disturbances: [{ version: versionOf }, disturbance],
  }
}

/** A service is ill in one region: something that only it needs there is broken. */
export const badRegion: PlanFault = (stage) => {
  const { rates, random } = stage
  const service = pickService(stage, ({ name, instances }) => {
    const regions = new Set(runningOf(stage, name).map(({ host }) => host.region))
    return regions.size > 1 && instances > 2 && isBusy(stage, (rates.services.get(name) ?? 0) / instances)
  })
  if (service === undefined) return undefined
  const { region } = random.pick(runningOf(stage, service.name)).host
  const { disturbance, cause } = mechanism(
    stage,
    service,
    ({ instance }) => instance.service === service && instance.host.region === region,
  )
  const culprit = { what: 'region' as const, names: [region] }
  return { faults: [{ serviceNames: [service.name], causes: [cause], culprit }], disturbances: [disturbance] }
}

/** What one customer sends or has is more than the code can take. */
export const badCustomer: PlanFault = (stage) => {
  const { random, system, rates } = stage
  const service = pickService(stage, ({ name }) => {
    return isBusy(stage, ((rates.services.get(name) ?? 0) * 1.5) / system.customers.length)
  })
  if (service === undefined) return undefined
  const customer = random.pick(system.customers)
  const { disturbance, cause } = mechanism(
    stage,
    service,
    (scene) => scene.instance.service === service && scene.customer === customer,
  )
  const culprit = { what: 'customer' as const, names: [customer] }
  return { faults: [{ serviceNames: [service.name], causes: [cause], culprit }], disturbances: [disturbance] }
}

export function nextVersion(version: string, part: number): string {
  const numbers = version.split('.').map(Number)
  return numbers.map((number, i) => (i === part ? number + 1 : i > part ? 0 : number)).join('.')
}

function runningOf({ instances }: Stage, service: string): Instance[] {
  const all = instances.get(service) ?? []
  return all.slice(0, all[0]?.service.instances)
}
