import type { Disturbance, Scene } from '../world/disturbance.ts'
import { nextVersion } from './parts.ts'
import { type Plan, type PlanFault, type Stage, share } from './stage.ts'

const calm = (disturbances: Plan['disturbances']): Plan => ({ faults: [], disturbances })

/** Some moment in the last minutes, where a change is at its most suspicious. */
function lately({ random, endMs }: Stage): number {
  return endMs - share(random, 1, 12) * 60_000
}

/** Nothing but chance. */
export const noise: PlanFault = () => calm([])

/** Morning: more comes by the minute. */
export const rhythm: PlanFault = ({ random, system, endMs }) => {
  const more = share(random, 0.3, 1.2)
  for (const service of system.services) service.usualLoad = Math.min(service.usualLoad, 0.2)
  return calm([{ trafficFactor: (atMs) => 1 + (more * atMs) / endMs }])
}

/** A new version that is as good as the one before, of one service or of several. */
export const harmlessDeployment: PlanFault = (stage) => {
  const { random, system } = stage
  const rolled = new Map(
    system.services
      .filter(() => random.chance(0.25))
      .map(({ name, version }) => [name, { version: nextVersion(version, random.integer(3)), fromMs: lately(stage) }]),
  )
  return calm([
    {
      version: (name, slot, atMs) => {
        const next = rolled.get(name)
        return next && atMs >= next.fromMs + slot * 15_000 ? next.version : undefined
      },
    },
  ])
}

export const harmlessScaling: PlanFault = (stage) => {
  const { random, system } = stage
  const service = random.pick(system.services)
  const fromMs = lately(stage)
  const count = service.instances + 1 + random.integer(3)
  return calm([{ instances: (name, atMs) => (name === service.name && atMs >= fromMs ? count : undefined) }])
}

/** Settings are changed, and nothing comes of it. */
export const harmlessSettings: PlanFault = (stage) => {
  const service = stage.random.pick(stage.system.services)
  const fromMs = lately(stage)
  return calm([
    {
      settings: (name, atMs): Record<string, string> =>
        name === service.name ? { 'app.config.revision': atMs >= fromMs ? 'r8' : 'r7' } : {},
    },
  ])
}

/** A job that runs every few minutes, and has done so for months, slows a database down while it lasts. */
export const recurringJob: PlanFault = ({ random, system }) => {
  const { name } = random.pick(system.databases)
  const everyMs = share(random, 4, 7) * 60_000
  const lastsMs = share(random, 15, 40) * 1000
  const factor = share(random, 1.3, 2)
  return calm([
    { dependency: (asked, _, atMs) => (asked === name && atMs % everyMs < lastsMs ? { factor } : undefined) },
  ])
}

/** Something was wrong for a moment, but that was over long before anyone asked. */
export function pastBlip({ random, system, endMs }: Stage, innocent = system.services): Disturbance {
  const service = random.pick(innocent)
  const fromMs = share(random, 5 * 60_000, endMs - 14 * 60_000)
  const untilMs = fromMs + share(random, 20, 60) * 1000
  const often = share(random, 0.2, 0.8)
  const failure = { type: 'TransientError', message: 'try again', status: 500 }
  const isHit = ({ instance, atMs }: Scene) => instance.service === service && atMs >= fromMs && atMs < untilMs
  return random.chance(0.5)
    ? { thrown: (scene) => (isHit(scene) && random.chance(often) ? failure : undefined) }
    : { pauseMs: (scene) => (isHit(scene) ? random.lognormal(400, 0.5) : 0) }
}

export const afterBlip: PlanFault = (stage) => calm([pastBlip(stage)])

/** A few percent of requests fail, as they have for weeks. */
export const steadyErrors: PlanFault = ({ random, system }) => {
  const service = random.pick(system.services)
  const often = share(random, 0.02, 0.08)
  const failure = { type: 'ValidationError', message: 'unknown code', status: 500 }
  return calm([
    { thrown: ({ instance }) => (instance.service === service && random.chance(often) ? failure : undefined) },
  ])
}
