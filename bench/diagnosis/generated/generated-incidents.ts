import { Random } from '../../../server/demo/engine/random.ts'
import type { Export, Incident, Label } from '../incidents/incident.ts'
import { CONDITIONS, type Condition } from './conditions.ts'
import { FAULT_KINDS, QUIET_KINDS } from './faults/catalogue.ts'
import { harmlessDeployment, pastBlip } from './faults/quiet.ts'
import type { Plan, PlanFault, Stage } from './faults/stage.ts'
import { simulate } from './simulate.ts'
import { makeSystem } from './system/make-system.ts'
import { requestRates } from './system/request-rates.ts'
import { instancesOf } from './world/world.ts'

export interface GeneratedOptions {
  /** The first incident has this seed, the next one the next. */
  seed: number
  count: number
  quietCount: number
  /** All of them where none is named. */
  kinds: string[]
}

const MINUTE_MS = 60_000
const EPOCH_MS = Date.UTC(2026, 0, 5)
const TRIES_MAX = 200
/** From here on, circumstances that leave no place for a fault are given up. */
const TRIES_IN_CONDITION = 40
const PLAIN_SHARE = 0.55
/** How often something harmless is rolled out shortly before or during an incident, or something went wrong long before it. */
const RED_HERRING_SHARE = 0.25

/** Incidents of every kind in turn, each in a system of its own, and then quiet stretches. */
export function generatedIncidents({ seed, count, quietCount, kinds }: GeneratedOptions): Incident[] {
  const wanted = (all: Record<string, PlanFault>) => Object.keys(all).filter((kind) => isWanted(kind, kinds))
  const unknown = kinds.find((kind) => !(kind in FAULT_KINDS) && !(kind in QUIET_KINDS))
  if (unknown !== undefined) {
    const known = [...Object.keys(FAULT_KINDS), ...Object.keys(QUIET_KINDS)].join(', ')
    throw new Error(`--kinds has "${unknown}": it must be some of ${known}`)
  }
  return [...some(seed, count, wanted(FAULT_KINDS)), ...some(seed + count, quietCount, wanted(QUIET_KINDS))]
}

function isWanted(kind: string, kinds: string[]): boolean {
  return kinds.length === 0 || kinds.includes(kind)
}

function some(seed: number, count: number, kinds: string[]): Incident[] {
  if (kinds.length === 0) return []
  return Array.from({ length: count }, (_, i) => generateIncident(seed + i, kinds[(seed + i) % kinds.length] ?? ''))
}

/** The same seed and kind give the same incident. Circumstances are up to chance unless they are given. */
export function generateIncident(seed: number, kind: string, condition?: Condition): Incident {
  const { stage, plan, startEpochMs } = planOf(seed, kind, condition)
  const label: Label = {
    id: `g${seed}-${kind}`,
    system: stage.condition,
    kind,
    faults: plan.faults,
    onsetMs: startEpochMs + Math.round(plan.onsetMs ?? stage.onsetMs),
    endMs: startEpochMs + Math.round(stage.endMs),
    isGradual: plan.isGradual ?? false,
  }
  return { label, exports: (moveMs) => exportsOf(planOf(seed, kind, condition), moveMs) }
}

/** Of a plan that was just made, since chance goes on from where it was left. */
function exportsOf({ stage, plan, name, startEpochMs }: Planned, moveMs: number): Iterable<Export> {
  const { system, instances, endMs } = stage
  const { disturbances } = plan
  return simulate({ system, instances, seed: name, disturbances, startEpochMs, moveMs, endMs }).exports()
}

interface Planned {
  stage: Stage
  plan: Plan
  name: string
  startEpochMs: number
}

/** Some systems have no place for a fault; then another one is made. */
function planOf(seed: number, kind: string, condition: Condition | undefined): Planned {
  const planFault = FAULT_KINDS[kind] ?? QUIET_KINDS[kind]
  if (planFault === undefined) throw new Error(`there is no kind ${kind}`)
  for (let number = 0; number < TRIES_MAX; number++) {
    const name = `${seed} ${kind} ${number}`
    const stage = stageOf(name, number < TRIES_IN_CONDITION ? condition : 'plain')
    const plan = planFault(stage)
    if (plan === undefined) continue
    const { random } = stage
    const startEpochMs = EPOCH_MS + random.integer(24 * 60) * MINUTE_MS + random.integer(MINUTE_MS)
    return { stage, plan: withRedHerring(stage, plan), name, startEpochMs }
  }
  throw new Error(`no system has a place for ${kind} with the seed ${seed}`)
}

function stageOf(name: string, forced: Condition | undefined): Stage {
  const random = new Random(`${name} plan`)
  const drawn = random.chance(PLAIN_SHARE) ? 'plain' : random.pick(CONDITIONS)
  const condition = forced ?? drawn
  const system = makeSystem(new Random(`${name} system`), condition)
  const endMs = (26 + random.unit() * 14) * MINUTE_MS
  return {
    system,
    condition,
    rates: requestRates(system),
    instances: instancesOf(system, name),
    random,
    onsetMs: endMs - (3.5 + random.unit() * 5) * MINUTE_MS,
    endMs,
  }
}

/** Services that are well are deployed, or were ill for a moment. */
function withRedHerring(stage: Stage, plan: Plan): Plan {
  const guilty = new Set(plan.faults.flatMap(({ serviceNames }) => serviceNames))
  const innocent = stage.system.services.filter(({ name }) => !guilty.has(name))
  if (guilty.size === 0 || innocent.length === 0) return plan
  const disturbances = [...plan.disturbances]
  if (stage.random.chance(RED_HERRING_SHARE)) {
    const services = innocent.slice(0, Math.ceil(innocent.length / 3))
    disturbances.push(...(harmlessDeployment({ ...stage, system: { ...stage.system, services } })?.disturbances ?? []))
  }
  if (stage.random.chance(RED_HERRING_SHARE)) disturbances.push(pastBlip(stage, innocent))
  return { ...plan, disturbances }
}
