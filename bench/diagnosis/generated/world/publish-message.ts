import type { ServiceSpec, Step, TopicSpec } from '../system/generated-system.ts'
import { runSteps } from './run-steps.ts'
import type { Frame, Reply } from './visit.ts'
import type { World } from './world.ts'

/** Sends a message, which somebody reads once it is its turn. */
export function publishMessage(world: World, frame: Frame, topicName: string, atMs: number): Reply {
  const { random, recorder, system } = world
  const topic = system.topics.find(({ name }) => name === topicName)
  if (topic === undefined) throw new Error(`there is no topic ${topicName}`)
  const endMs = atMs + random.lognormal(1.5, 0.4)
  const sender = recorder.publish(frame, topic, atMs, endMs)
  for (const service of system.services)
    for (const { topic: read, steps } of service.consumes)
      if (read === topicName) consume(world, { topic, service, steps }, { ...frame, span: sender }, endMs)
  return { endMs, failure: undefined }
}

interface Consumption {
  topic: TopicSpec
  service: ServiceSpec
  steps: Step[]
}

function consume(world: World, { topic, service, steps }: Consumption, sent: Frame, atMs: number): void {
  const { recorder, queues } = world
  const factor = world.product(({ consumerFactor }) => consumerFactor?.(service.name, atMs))
  const beginMs = queues.take(service.name, topic.name, atMs, factor)
  const instance = world.choose(service.name, beginMs)
  if (instance === undefined) return
  const span = recorder.startConsumer(instance, topic, { ...sent.visit, parent: sent.span }, beginMs)
  const operation = `process ${topic.name}`
  const frame: Frame = { instance, operation, visit: { ...sent.visit, parent: span }, span }
  const scene = { instance, operation, customer: sent.visit.customer, atMs: beginMs }
  const thrown = world.first(({ thrown: throws }) => throws?.(scene))
  const reply = thrown
    ? { endMs: beginMs + 3, failure: thrown }
    : runSteps(world, frame, steps, beginMs + world.sum(({ pauseMs }) => pauseMs?.(scene)))
  if (thrown) recorder.exception(frame, thrown, reply.endMs)
  recorder.endServer(span, reply.endMs, reply.failure ? 500 : 200, reply.failure)
}
