import type { Random } from '../../../../server/demo/engine/random.ts'
import type { PlantedFault } from '../../incidents/incident.ts'
import type { Condition } from '../conditions.ts'
import type { GeneratedSystem, OperationSpec, ServiceSpec } from '../system/generated-system.ts'
import { callersOf, type RequestRates } from '../system/request-rates.ts'
import { operationKey } from '../system/span-counts.ts'
import { typicalMs } from '../system/typical-time.ts'
import type { Disturbance } from '../world/disturbance.ts'
import type { Instance } from '../world/instance.ts'

/** What a fault is planted into. */
export interface Stage {
  system: GeneratedSystem
  condition: Condition
  rates: RequestRates
  instances: Map<string, Instance[]>
  random: Random
  /** Milliseconds after the simulation's start. */
  onsetMs: number
  endMs: number
}

/** How the world is changed, and what is therefore true. */
export interface Plan {
  faults: PlantedFault[]
  disturbances: Disturbance[]
  isGradual?: boolean
  /** Where it begins long before it hurts. */
  onsetMs?: number
}

/** Undefined where the system has no place for such a fault. */
export type PlanFault = (stage: Stage) => Plan | undefined

/** Of the time that a service takes anyway. */
const WEAKEST = 0.7
const KEPT_PER_MINUTE_MIN = 8
const KEPT_PER_MINUTE_MIN_LOW = 2.5

/** How many requests of a rate are seen in a minute. */
export function keptPerMinute({ system }: Stage, ratePerSecond: number): number {
  return ratePerSecond * 60 * system.style.sampledShare
}

export function isBusy(stage: Stage, ratePerSecond: number): boolean {
  const min = stage.condition === 'low traffic' ? KEPT_PER_MINUTE_MIN_LOW : KEPT_PER_MINUTE_MIN
  return keptPerMinute(stage, ratePerSecond) >= min
}

/** Services that send spans and are asked often enough for anyone to notice. */
export function visibleServices(stage: Stage, fits: (service: ServiceSpec) => boolean = () => true): ServiceSpec[] {
  const { system, rates } = stage
  return system.services.filter(
    (service) => service.sendsSpans && isBusy(stage, rates.services.get(service.name) ?? 0) && fits(service),
  )
}

export function pickService(stage: Stage, fits?: (service: ServiceSpec) => boolean): ServiceSpec | undefined {
  const all = visibleServices(stage, fits)
  return all.length === 0 ? undefined : stage.random.pick(all)
}

/** Services that send spans and call something a good part of the time that it is called. */
export function visibleCallers({ system, rates }: Stage, target: string): string[] {
  const callers = callersOf(rates, target)
  const all = callers.reduce((sum, { rate }) => sum + rate, 0)
  const visible = new Set(system.services.filter(({ sendsSpans }) => sendsSpans).map(({ name }) => name))
  return callers.filter(({ caller, rate }) => visible.has(caller) && rate >= all * 0.1).map(({ caller }) => caller)
}

/** A wait that can be noticed, if not at once: up to five times what the service takes anyway. */
export function noticeableMs(stage: Stage, service: ServiceSpec): number {
  return waitMs(stage, service, strength(stage, WEAKEST, 5))
}

/** What is added by less than this is lost in how much requests differ anyway. */
export function weakestMs(stage: Stage, service: ServiceSpec): number {
  return waitMs(stage, service, WEAKEST)
}

function waitMs({ system }: Stage, service: ServiceSpec, times: number): number {
  return 15 + typicalMs(system, service) * times
}

/** Anything from weak to strong; never weak where there is little to see it in. */
export function strength({ random, condition }: Stage, weak: number, strong: number): number {
  return condition === 'plain' ? share(random, weak, strong) : share(random, (weak + strong) / 2, strong)
}

/** The operation of a service that is asked for most. */
export function busiestOperation({ rates }: Stage, { name, operations }: ServiceSpec): OperationSpec {
  const rateOf = (operation: OperationSpec) => rates.operations.get(operationKey(name, operation.name)) ?? 0
  const [busiest] = operations.toSorted((a, b) => rateOf(b) - rateOf(a))
  if (busiest === undefined) throw new Error(`${name} has no operations`)
  return busiest
}

export function share(random: Random, from: number, to: number): number {
  return from + random.unit() * (to - from)
}
