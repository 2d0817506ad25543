import type { CauseKey } from '../../../../server/diagnostics/diagnosis/catalogue.ts'
import type { GeneratedSystem } from '../system/generated-system.ts'
import { callersOf } from '../system/request-rates.ts'
import type { Trouble } from '../world/disturbance.ts'
import type { Instance } from '../world/instance.ts'
import { isBusy, type Plan, type PlanFault, type Stage, share, strength, visibleCallers } from './stage.ts'

/** Something that sends no telemetry: a database, an API of another company, or a service that nobody instrumented. */
interface Outside {
  name: string
  /** What it is called in the telemetry of those who call it. */
  names: string[]
  kind: 'database' | 'api' | 'service'
}

export const dependencySlow: PlanFault = (stage) => {
  const factor = strength(stage, 3, 30)
  return planned(stage, 'slowDependency', () => () => ({ factor }))
}

export const dependencyFailing: PlanFault = (stage) => {
  const { random } = stage
  const often = strength(stage, 0.12, 0.95)
  return planned(stage, 'failingDependency', (outside) => ({ dialect }) => {
    if (!random.chance(often)) return undefined
    const failure =
      outside.kind === 'database'
        ? { type: 'DatabaseError', message: `could not serialize access on ${outside.name}`, status: 500 }
        : { type: dialect.answerType, message: `${outside.names[0]} answered with 503`, status: 503 }
    return { failure }
  })
}

/** Nobody listens there any more, or packets vanish on the way. */
export const dependencyGone: PlanFault = (stage) => {
  const isRefused = stage.random.chance(0.5)
  return planned(stage, 'failingDependency', (outside) => ({ dialect }) => {
    if (isRefused) {
      const message = `connect ${outside.names[0]}: Connection refused`
      return { failure: { type: dialect.refusedType, message, status: 503 }, failsAfterMs: 2 }
    }
    const message = `${outside.names[0]}: no answer within 2000 ms`
    return { failure: { type: dialect.timeoutType, message, status: 504 }, failsAfterMs: 2000 }
  })
}

/** An API takes no more than so many calls, and refuses the rest. */
export const rateLimiting: PlanFault = (stage) => {
  const often = share(stage.random, 0.4, 0.9)
  return planned(
    stage,
    'rateLimiting',
    (outside) =>
      ({ dialect }) =>
        stage.random.chance(often)
          ? {
              failure: { type: dialect.answerType, message: `${outside.names[0]} answered with 429`, status: 429 },
              failsAfterMs: 8,
            }
          : undefined,
    ({ kind }) => kind === 'api',
  )
}

export function planned(
  stage: Stage,
  cause: CauseKey,
  troubleOf: (outside: Outside) => (caller: Instance) => Trouble | undefined,
  fits: (outside: Outside) => boolean = () => true,
): Plan | undefined {
  const outside = pickOutside(stage, fits)
  if (outside === undefined) return undefined
  const trouble = troubleOf(outside)
  return {
    faults: [
      {
        serviceNames: visibleCallers(stage, outside.name),
        causes: [cause],
        culprit: { what: 'dependency', names: outside.names },
      },
    ],
    disturbances: [
      {
        dependency: (name, caller, atMs) =>
          name === outside.name && atMs >= stage.onsetMs ? trouble(caller) : undefined,
      },
    ],
  }
}

function pickOutside(stage: Stage, fits: (outside: Outside) => boolean): Outside | undefined {
  const { system, random, rates } = stage
  const all: Outside[] = [
    ...system.databases.map(({ name }) => ({ name, names: databaseNames(system, name), kind: 'database' as const })),
    ...system.apis.map(({ name, address }) => ({ name, names: [address, name], kind: 'api' as const })),
    ...system.services
      .filter(({ sendsSpans }) => !sendsSpans)
      .map(({ name }) => ({ name, names: [name], kind: 'service' as const })),
  ]
  const seen = all.filter((outside) => {
    const callers = visibleCallers(stage, outside.name)
    const busiest = callersOf(rates, outside.name).find(({ caller }) => callers.includes(caller))
    return fits(outside) && isBusy(stage, busiest?.rate ?? 0)
  })
  return seen.length === 0 ? undefined : random.pick(seen)
}

export function databaseNames({ databases }: GeneratedSystem, database: string): string[] {
  const found = databases.find(({ name }) => name === database)
  return found ? [found.name, `${found.system}/${found.name}`, found.address] : [database]
}
