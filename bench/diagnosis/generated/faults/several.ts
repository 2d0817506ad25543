import { callersOf } from '../system/request-rates.ts'
import { crash } from './between.ts'
import { dependencyFailing, dependencySlow } from './dependencies.ts'
import { exception, slowCode } from './own-code.ts'
import { cpuSaturation } from './resources.ts'
import type { PlanFault, Stage } from './stage.ts'

const TRIES = 12

/** Two things that have nothing to do with each other go wrong at the same time. */
export const twoFaults: PlanFault = (stage) => {
  const { random } = stage
  const kinds = [slowCode, exception, dependencySlow, dependencyFailing, crash, cpuSaturation]
  for (let i = 0; i < TRIES; i++) {
    const one = random.pick(kinds)(stage)
    const other = random.pick(kinds)({ ...stage, onsetMs: stage.onsetMs + random.integer(90_000) })
    const [a] = one?.faults ?? []
    const [b] = other?.faults ?? []
    if (!(one && other && a && b) || areRelated(stage, a.serviceNames, b.serviceNames)) continue
    return { faults: [a, b], disturbances: [...one.disturbances, ...other.disturbances] }
  }
  return undefined
}

/** Something becomes slower minute by minute. */
export const gradualSlowness: PlanFault = (stage) => {
  const { random, endMs } = stage
  const onsetMs = endMs - (8 + random.unit() * 6) * 60_000
  const plan = random.pick([slowCode, dependencySlow])({ ...stage, onsetMs })
  if (plan === undefined) return undefined
  const grown = (atMs: number) => Math.min(1, Math.max(0, (atMs - onsetMs) / (endMs - 120_000 - onsetMs)))
  const disturbances = plan.disturbances.map((each) => ({
    ...each,
    ...(each.pauseMs && {
      pauseMs: (scene: Parameters<typeof each.pauseMs>[0]) => (each.pauseMs?.(scene) ?? 0) * grown(scene.atMs),
    }),
    ...(each.workFactor && {
      workFactor: (scene: Parameters<typeof each.workFactor>[0]) =>
        1 + ((each.workFactor?.(scene) ?? 1) - 1) * grown(scene.atMs),
    }),
    ...(each.dependency && {
      dependency: (...[name, caller, atMs]: Parameters<typeof each.dependency>) => {
        const trouble = each.dependency?.(name, caller, atMs)
        return trouble && { ...trouble, factor: 1 + ((trouble.factor ?? 1) - 1) * grown(atMs) }
      },
    }),
  }))
  return { ...plan, disturbances, isGradual: true, onsetMs }
}

/** One calls the other, directly or through others: then one may hide the other. */
function areRelated({ rates }: Stage, some: string[], others: string[]): boolean {
  const above = (names: string[]): Set<string> => {
    const found = new Set(names)
    for (const name of found) for (const { caller } of callersOf(rates, name)) found.add(caller)
    return found
  }
  const [aboveSome, aboveOthers] = [above(some), above(others)]
  return others.some((name) => aboveSome.has(name)) || some.some((name) => aboveOthers.has(name))
}
