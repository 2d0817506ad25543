import type { Step } from '../system/generated-system.ts'
import { attempts } from './attempts.ts'
import type { Failure } from './disturbance.ts'
import type { Frame, Reply } from './visit.ts'
import type { World } from './world.ts'

type External = Extract<Step, { do: 'external' }>

/** Asks another company's API, whose inside is unknown. */
export function callExternal(world: World, frame: Frame, step: External, atMs: number): Reply {
  return attempts(world, frame, { ...step.limits, target: step.api }, atMs, (attemptMs, timeoutMs, attempt) => {
    const span = world.recorder.startExternal(frame, step, attemptMs, attempt)
    const reply = answer(world, frame, step, attemptMs, timeoutMs)
    world.recorder.endCall(span, reply.endMs, reply.failure)
    return { endMs: reply.endMs, failure: reply.failure && own(reply.failure) }
  })
}

/** To be told to come later is a failure like any other for whoever waits for the caller. */
function own(failure: Failure): Failure {
  return failure.status === 429 ? { ...failure, status: 503 } : failure
}

function answer(world: World, { instance }: Frame, step: External, atMs: number, timeoutMs: number): Reply {
  const { random, system } = world
  const api = system.apis.find(({ name }) => name === step.api)
  if (api === undefined) throw new Error(`there is no API ${step.api}`)
  const trouble = world.first(({ dependency }) => dependency?.(step.api, instance, atMs))
  const tookMs = random.lognormal(api.medianMs * (trouble?.factor ?? 1), 0.3) * world.wandering.factor(step.api, atMs)
  if (trouble?.failure) return { endMs: atMs + (trouble.failsAfterMs ?? tookMs), failure: trouble.failure }
  if (tookMs > timeoutMs) {
    const message = `${api.address}: no answer within ${timeoutMs} ms`
    return { endMs: atMs + timeoutMs, failure: { type: instance.dialect.timeoutType, message, status: 504 } }
  }
  const fails = random.chance(api.errorShare)
  const failure = { type: instance.dialect.answerType, message: `${api.address} answered with 503`, status: 503 }
  return { endMs: atMs + tookMs, failure: fails ? failure : undefined }
}
