import type { CauseKey } from '../../../../server/diagnostics/diagnosis/catalogue.ts'
import type { ServiceSpec } from '../system/generated-system.ts'
import { flatSteps } from '../system/leans-on.ts'
import { Names } from '../system/names.ts'
import type { Disturbance, Failure, Scene } from '../world/disturbance.ts'
import {
  busiestOperation,
  noticeableMs,
  type PlanFault,
  pickService,
  type Stage,
  share,
  strength,
  weakestMs,
} from './stage.ts'

/** A service takes longer itself: it computes more, waits for a lock, or asks its database for every row. */
export const slowCode: PlanFault = (stage) => {
  const service = pickService(stage)
  if (service === undefined) return undefined
  const disturbances = [slowly(stage, service, ({ instance }) => instance.service === service)]
  return { faults: [{ serviceNames: [service.name], causes: ['slowCode'] }], disturbances }
}

export const exception: PlanFault = (stage) => {
  const service = pickService(stage)
  if (service === undefined) return undefined
  const disturbances = [throwing(stage, service, ({ instance }) => instance.service === service)]
  return { faults: [{ serviceNames: [service.name], causes: ['exception'] }], disturbances }
}

/** Answers 500 without a word about why, or as if all were well, but with less than it was asked for. */
export const errorReturn: PlanFault = (stage) => {
  const service = pickService(stage, (each) => !hidesFailures(stage) || asksOthers(stage, each))
  if (service === undefined) return undefined
  const { random, onsetMs } = stage
  const isHandled = asksOthers(stage, service) && random.chance(HANDLED_SHARE)
  const often = strength(stage, isHandled ? 0.3 : 0.12, 0.95)
  const failure: Failure = { type: '500', message: '', status: 500, isHandled }
  const { name } = busiestOperation(stage, service)
  const disturbance: Disturbance = {
    returned: ({ instance, operation, atMs }) =>
      instance.service === service && operation === name && atMs >= onsetMs && random.chance(often)
        ? failure
        : undefined,
  }
  return { faults: [{ serviceNames: [service.name], causes: ['errorReturn'] }], disturbances: [disturbance] }
}

const HANDLED_SHARE = 0.3

function hidesFailures({ system }: Stage): boolean {
  return system.style.failuresShow !== 'as status'
}

/** Giving up early shows in what is no longer asked for. */
function asksOthers(stage: Stage, service: ServiceSpec): boolean {
  return busiestOperation(stage, service).steps.some((step) => step.do !== 'compute' && step.do !== 'say')
}

/** What makes requests of some kind bad, and the phrase for it where nothing more is known. */
export interface Mechanism {
  disturbance: Disturbance
  cause: CauseKey
}

/** Throws, or is slow, wherever `isHit`. */
export function mechanism(stage: Stage, service: ServiceSpec, isHit: (scene: Scene) => boolean): Mechanism {
  return stage.random.chance(0.55)
    ? { disturbance: throwing(stage, service, isHit, 0.5), cause: 'exception' }
    : { disturbance: waiting(stage, service, isHit), cause: 'slowCode' }
}

export function throwing(
  stage: Stage,
  service: ServiceSpec,
  isHit: (scene: Scene) => boolean,
  oftenMin = 0.12,
): Disturbance {
  const { random, onsetMs } = stage
  const isHandled = oftenMin < 0.5 && asksOthers(stage, service) && random.chance(HANDLED_SHARE)
  const often = strength(stage, isHandled ? 0.3 : oftenMin, 0.95)
  const failure = { ...new Names(random).exception(), status: 500, isHandled }
  // An exception that nobody writes down is not known to be one.
  if (!service.sendsLogs) service.recordsExceptions = true
  const operations = service.operations.map(({ name }) => name)
  const hit = new Set(random.chance(0.5) ? operations : [busiestOperation(stage, service).name])
  for (const { topic } of service.consumes) hit.add(`process ${topic}`)
  return {
    thrown: (scene) =>
      scene.atMs >= onsetMs && hit.has(scene.operation) && isHit(scene) && random.chance(often) ? failure : undefined,
  }
}

function slowly(stage: Stage, service: ServiceSpec, isHit: (scene: Scene) => boolean): Disturbance {
  const { random, onsetMs } = stage
  const isNow = (scene: Scene) => scene.atMs >= onsetMs && isHit(scene)
  const asks = flatSteps(busiestOperation(stage, service).steps).some((step) => step.do === 'query')
  const kind = random.pick(['wait', 'compute', asks ? 'statements' : 'wait'])
  if (kind === 'statements') {
    const times = 6 + random.integer(20)
    return { statementFactor: (scene) => (isNow(scene) ? times : 1) }
  }
  if (kind === 'wait') return waiting(stage, service, isHit)
  // Busy, but not so busy that anything waits for the processor.
  const factor = Math.min(0.5 / service.usualLoad, share(random, 4, 9))
  const addedMs = (factor - 1) * computingMs(service)
  const isNoticed = factor >= 3 && addedMs >= weakestMs(stage, service)
  return !isNoticed ? waiting(stage, service, isHit) : { workFactor: (scene) => (isNow(scene) ? factor : 1) }
}

export function waiting(stage: Stage, service: ServiceSpec, isHit: (scene: Scene) => boolean): Disturbance {
  const { random, onsetMs } = stage
  const ms = noticeableMs(stage, service)
  return { pauseMs: (scene) => (scene.atMs >= onsetMs && isHit(scene) ? random.lognormal(ms, 0.4) : 0) }
}

/** What an operation of a service computes itself, at the mean. */
function computingMs({ operations }: ServiceSpec): number {
  const all = operations.flatMap(({ steps }) => flatSteps(steps))
  const sum = all.reduce((ms, step) => ms + (step.do === 'compute' ? step.medianMs : 0), 0)
  return sum / Math.max(1, operations.length)
}
