import type { Step } from '../system/generated-system.ts'
import { callExternal } from './call-external.ts'
import { callService } from './call-service.ts'
import { publishMessage } from './publish-message.ts'
import { queryDatabase } from './query-database.ts'
import type { Frame, Reply } from './visit.ts'
import type { World } from './world.ts'

/** One after the other; the first failure ends them. */
export function runSteps(world: World, frame: Frame, steps: readonly Step[], startMs: number): Reply {
  let nowMs = startMs
  for (const step of steps) {
    const reply = runStep(world, frame, step, nowMs)
    if (reply.failure) return reply
    nowMs = reply.endMs
  }
  return { endMs: nowMs, failure: undefined }
}

function runStep(world: World, frame: Frame, step: Step, atMs: number): Reply {
  switch (step.do) {
    case 'compute':
      return { endMs: atMs + computeMs(world, frame, step, atMs), failure: undefined }
    case 'query':
      return queryDatabase(world, frame, step, atMs)
    case 'call':
      return callService(world, frame, step, atMs)
    case 'external':
      return callExternal(world, frame, step, atMs)
    case 'publish':
      return publishMessage(world, frame, step.topic, atMs)
    case 'together':
      return together(step.branches.map((branch) => runStep(world, frame, branch, atMs)))
    case 'say':
      world.recorder.log(frame, 'info', step.text.replace('{id}', frame.visit.id), atMs)
      return { endMs: atMs, failure: undefined }
  }
}

function computeMs(
  world: World,
  { instance, operation, visit }: Frame,
  step: Extract<Step, { do: 'compute' }>,
  atMs: number,
): number {
  const scene = { instance, operation, customer: visit.customer, atMs }
  const factor = world.product(({ workFactor }) => workFactor?.(scene))
  return world.random.lognormal(step.medianMs, step.sigma) * factor * slowness(world, instance, atMs)
}

function slowness({ loads, wandering }: World, instance: Frame['instance'], atMs: number): number {
  return loads.at(instance, atMs).slowdown * wandering.factor(instance.service.name, atMs)
}

/** All are waited for, also when one has failed. */
function together(replies: Reply[]): Reply {
  const endMs = Math.max(...replies.map((reply) => reply.endMs))
  return { endMs, failure: replies.find(({ failure }) => failure)?.failure }
}
