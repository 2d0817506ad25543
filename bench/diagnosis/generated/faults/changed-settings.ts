import type { ServiceSpec } from '../system/generated-system.ts'
import { flatSteps } from '../system/leans-on.ts'
import { typicalStepMs } from '../system/typical-time.ts'
import type { Disturbance, Scene } from '../world/disturbance.ts'
import { throwing, waiting } from './own-code.ts'
import { busiestOperation, type PlanFault, pickService, type Stage } from './stage.ts'

/** A setting as it shows in the resource, and what comes of its new value. */
interface Change {
  key: string
  before: string
  after: string
  effect: Disturbance
}

/** New settings come to all instances at once, are told in an attribute of the resource, and are wrong. */
export const configurationChange: PlanFault = (stage) => {
  const service = pickService(stage)
  if (service === undefined) return undefined
  const { random, onsetMs } = stage
  const { key, before, after, effect } = random.pick(changesOf(stage, service))
  const settings = (name: string, atMs: number): Record<string, string> =>
    name === service.name ? { [key]: atMs >= onsetMs ? after : before } : {}
  return {
    faults: [{ serviceNames: [service.name], causes: ['badConfiguration'] }],
    disturbances: [{ settings }, effect],
  }
}

function changesOf(stage: Stage, service: ServiceSpec): Change[] {
  const isHit = ({ instance }: Scene) => instance.service === service
  const timeout = shortTimeout(stage, service)
  return [
    { key: 'app.feature.new_pricing', before: 'off', after: 'on', effect: throwing(stage, service, isHit) },
    { key: 'app.cache.enabled', before: 'true', after: 'false', effect: waiting(stage, service, isHit) },
    ...(timeout ? [timeout] : []),
  ]
}

/** Somebody has taken seconds for milliseconds: nobody answers that fast. */
function shortTimeout(stage: Stage, service: ServiceSpec): Change | undefined {
  const { system, onsetMs } = stage
  const calls = flatSteps(busiestOperation(stage, service).steps).filter(
    (step) => (step.do === 'call' || step.do === 'external') && !step.limits.isOptional,
  )
  if (calls.length === 0) return undefined
  const usualMs = Math.min(...calls.map((step) => typicalStepMs(system, step)))
  const shortMs = Math.max(1, Math.round(usualMs * 0.8))
  return {
    key: 'app.client.timeout',
    before: '5s',
    after: `${shortMs}ms`,
    effect: {
      timeoutMs: (caller, usual, atMs) => (caller.service === service && atMs >= onsetMs ? shortMs : usual),
    },
  }
}
