import type { OperationSpec } from '../system/generated-system.ts'
import type { Failure, Scene } from './disturbance.ts'
import type { Instance } from './instance.ts'
import { runSteps } from './run-steps.ts'
import type { Frame, Reply, Visit } from './visit.ts'
import type { World } from './world.ts'

/** Answers of 4xx: the asker's fault, which is no error of a server. */
const REFUSED_SHARE = 0.01
/** Garbage is collected, a page is swapped in: now and then something takes long. */
const STALL_SHARE = 0.003

/** What an instance does with a request from its arrival on. */
export function serveRequest(
  world: World,
  instance: Instance,
  operation: OperationSpec,
  visit: Visit,
  atMs: number,
): Reply {
  const { recorder, random } = world
  const span = recorder.startServer(instance, operation.name, visit, atMs)
  const frame: Frame = { instance, operation: operation.name, visit, span }
  const reply = workOn(world, frame, operation, atMs)
  const status = reply.failure?.status ?? (random.chance(REFUSED_SHARE) ? 404 : 200)
  recorder.endServer(span, reply.endMs, status, reply.failure)
  return reply
}

function workOn(world: World, frame: Frame, operation: OperationSpec, atMs: number): Reply {
  const { instance, visit } = frame
  const { random, recorder } = world
  const waited = waitForWorker(world, instance, atMs)
  const startMs = waited.endMs
  const scene: Scene = { instance, operation: operation.name, customer: visit.customer, atMs: startMs }
  const thrown = waited.failure ?? world.first(({ thrown: throws }) => throws?.(scene)) ?? hiccup(world, operation)
  if (thrown) {
    const endMs = startMs + random.lognormal(waited.failure ? 0.3 : 3, 0.5)
    recorder.exception(frame, thrown, endMs)
    return { endMs, failure: thrown.isHandled ? undefined : thrown }
  }
  const returned = world.first(({ returned: returns }) => returns?.(scene))
  // Whoever gives up early does not do the rest of the work.
  if (returned) return { endMs: startMs + random.lognormal(3, 0.5), failure: returned.isHandled ? undefined : returned }
  const pausedMs = world.sum(({ pauseMs }) => pauseMs?.(scene)) + stall(world)
  const reply = runSteps(world, frame, operation.steps, startMs + pausedMs)
  // What others failed with is thrown on by most frameworks, and logged once more.
  if (reply.failure && frame.span.events.length === 0) recorder.exception(frame, reply.failure, reply.endMs)
  return reply
}

function stall({ random }: World): number {
  return random.chance(STALL_SHARE) ? random.lognormal(120, 0.8) : 0
}

function hiccup({ random }: World, { hiccup: { share, type, message } }: OperationSpec): Failure | undefined {
  return random.chance(share) ? { type, message, status: 500 } : undefined
}

/** Behind others, where there are more requests than workers or more work than the processors can do. */
function waitForWorker(world: World, instance: Instance, atMs: number): Reply {
  const { random, loads } = world
  const { workers, name } = instance.service
  const { backlogMs, refusedShare } = loads.at(instance, atMs)
  const held = world.sum(({ heldWorkers }) => heldWorkers?.(instance, atMs))
  const isBlocked = held >= workers * 0.97
  if (random.chance(refusedShare) || (isBlocked && random.chance(0.4))) {
    const message = `${name}: all ${workers} workers are busy, queue is full`
    return { endMs: atMs + 1, failure: { type: instance.dialect.rejectedType, message, status: 503 } }
  }
  const blockedMs = isBlocked ? random.lognormal(4000, 0.4) : 0
  const crowdedMs = held > workers * 0.8 ? random.lognormal(200, 0.6) : 0
  const backlogWaitMs = backlogMs === 0 ? 0 : random.lognormal(backlogMs, 0.3)
  return { endMs: atMs + backlogWaitMs + Math.max(blockedMs, crowdedMs), failure: undefined }
}
