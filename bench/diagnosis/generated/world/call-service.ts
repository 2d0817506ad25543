import { operationNamed, type Step, serviceNamed } from '../system/generated-system.ts'
import { attempts } from './attempts.ts'
import type { Failure } from './disturbance.ts'
import { serveRequest } from './serve-request.ts'
import type { Frame, Reply, Visit } from './visit.ts'
import type { World } from './world.ts'

type Call = Extract<Step, { do: 'call' }>

/** Asks another service, with a time limit and retries. */
export function callService(world: World, frame: Frame, step: Call, atMs: number): Reply {
  return attempts(world, frame, { ...step.limits, target: step.service }, atMs, (attemptMs, timeoutMs, attempt) => {
    world.loads.note(step.service, attemptMs, attempt > 0)
    const span = world.recorder.startCall(frame, step, attemptMs, attempt)
    const reply = within(
      timeoutMs,
      attemptMs,
      send(world, frame, step, { ...frame.visit, parent: span }, attemptMs),
      () => timedOut(frame, step, timeoutMs),
    )
    const failure = reply.failure && asSeenByCaller(frame, step, reply.failure)
    world.recorder.endCall(span, reply.endMs, reply.failure)
    return { endMs: reply.endMs, failure }
  })
}

/** There and back over the network. */
function send(world: World, { instance }: Frame, step: Call, visit: Visit, atMs: number): Reply {
  const { random } = world
  const service = serviceNamed(world.system, step.service)
  const chosen = world.choose(step.service, atMs)
  if (chosen === undefined)
    return refused(random.lognormal(1.5, 0.4) + atMs, instance.dialect.refusedType, step.service)
  const wayMs = () => random.lognormal(0.4, 0.4) + world.sum(({ networkMs }) => networkMs?.(instance, chosen, atMs))
  const trouble = service.sendsSpans
    ? undefined
    : world.first(({ dependency }) => dependency?.(step.service, instance, atMs))
  if (trouble?.failure) return { endMs: atMs + (trouble.failsAfterMs ?? 5) + wayMs(), failure: trouble.failure }
  // Whoever sends no spans does not pass the trace on either.
  const passedOn = service.sendsSpans ? visit : { ...visit, parent: undefined }
  const arrivedMs = atMs + wayMs()
  const { endMs, failure } = serveRequest(world, chosen, operationNamed(service, step.operation), passedOn, arrivedMs)
  const tookMs = (endMs - arrivedMs) * (trouble?.factor ?? 1)
  return { endMs: arrivedMs + tookMs + wayMs(), failure }
}

/** The other side goes on with work that nobody waits for any more. */
function within(timeoutMs: number, startMs: number, reply: Reply, timeout: () => Failure): Reply {
  return reply.endMs - startMs <= timeoutMs ? reply : { endMs: startMs + timeoutMs, failure: timeout() }
}

function timedOut({ instance }: Frame, { service, operation }: Call, timeoutMs: number): Failure {
  const message = `${service}: no answer to ${operation} within ${timeoutMs} ms`
  return { type: instance.dialect.timeoutType, message, status: 504 }
}

function refused(endMs: number, type: string, service: string): Reply {
  return { endMs, failure: { type, message: `connect ${service}:8080: Connection refused`, status: 503 } }
}

/** What the caller makes of it: its own failure, unless it got none at all. */
function asSeenByCaller({ instance }: Frame, { service }: Call, failure: Failure): Failure {
  const isAnswer = failure.status === 500 || failure.status === 502
  if (!isAnswer) return failure
  return { type: instance.dialect.answerType, message: `${service} answered with ${failure.status}`, status: 502 }
}
