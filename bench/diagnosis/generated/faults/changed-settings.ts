import { databasesOf } from '../system/leans-on.ts'
import type { Disturbance } from '../world/disturbance.ts'
import { throwing, waiting } from './own-code.ts'
import { type PlanFault, pickService } from './stage.ts'

const KEYS = ['app.config.revision', 'config.checksum', 'feature.flags.revision']

/** New settings come to all instances at once, shown by an attribute of the resource, and are wrong. */
export const configurationChange: PlanFault = (stage) => {
  const service = pickService(stage)
  if (service === undefined) return undefined
  const { random, onsetMs } = stage
  const key = random.pick(KEYS)
  const revision = 10 + random.integer(80)
  const settings = (name: string, atMs: number): Record<string, string> =>
    name === service.name ? { [key]: `r${atMs >= onsetMs ? revision + 1 : revision}` } : {}
  const isHit = ({ instance }: { instance: { service: unknown } }) => instance.service === service
  const effects: Disturbance[] = [throwing(stage, service, isHit), waiting(stage, service, isHit)]
  if (databasesOf(service).length > 0) {
    const left = 1
    effects.push({
      heldConnections: ({ service: at }, _, atMs) => (at === service && atMs >= onsetMs ? service.poolSize - left : 0),
    })
  }
  return {
    faults: [{ serviceNames: [service.name], causes: ['badConfiguration'] }],
    disturbances: [{ settings }, random.pick(effects)],
  }
}
