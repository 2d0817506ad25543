import { type Attributes, type Link, SpanKind } from '@opentelemetry/api'
import type { Process } from '../engine/kernel.ts'
import type { ServiceSpec } from '../topology/service-spec.ts'
import type { Step } from '../topology/step.ts'
import { asFault, exceptionAttributes, type Frame, recordException, say } from './frame.ts'
import type { Instance } from './instance.ts'
import { runSteps } from './run-steps.ts'
import type { Service } from './service.ts'
import type { Shop } from './shop.ts'
import { ConsumerGroup, type Message, type Topic } from './topic.ts'

type Consumption = ServiceSpec['consumes'][number]

/** Joins the instances of a service to a topic as one group: each message goes to one of them that has a consumer free. */
export function joinTopic(shop: Shop, service: Service, topic: Topic, consumption: Consumption): void {
  const group: ConsumerGroup = new ConsumerGroup((message) => {
    const instance = leastBusy(service.instances, consumption)
    if (instance === undefined) return false
    occupy(instance, consumption, 1)
    shop.kernel.spawn(consumeMessage(shop, instance, topic, consumption.steps, message), () => {
      occupy(instance, consumption, -1)
      group.deliver()
    })
    return true
  })
  topic.groups.set(service.spec.name, group)
}

/** Undefined where every consumer is busy. Of equals the one that has read least, so that all take part. */
function leastBusy(instances: Instance[], consumption: Consumption): Instance | undefined {
  let best: Instance | undefined
  for (const instance of instances) {
    const busy = busyConsumers(instance, consumption)
    if (busy >= Math.ceil(consumption.concurrency * instance.capacity)) continue
    if (best === undefined || rankOf(instance, busy) < rankOf(best, busyConsumers(best, consumption))) best = instance
  }
  return best
}

function rankOf(instance: Instance, busy: number): number {
  return busy * 1e9 + instance.measures.requests
}

function busyConsumers(instance: Instance, { topic }: Consumption): number {
  return instance.consuming.get(topic) ?? 0
}

function occupy(instance: Instance, consumption: Consumption, change: number): void {
  instance.consuming.set(consumption.topic, busyConsumers(instance, consumption) + change)
}

function* consumeMessage(
  shop: Shop,
  instance: Instance,
  topic: Topic,
  steps: readonly Step[],
  message: Message,
): Process<void> {
  const isLinked = topic.spec.trace === 'linked'
  const links: Link[] = isLinked ? [{ context: { ...message.sender, isRemote: true } }] : []
  const name = `process ${topic.name}`
  const span = shop.recorder.startSpan({
    name,
    kind: SpanKind.CONSUMER,
    parent: isLinked ? undefined : message.sender,
    links,
    attributes: consumerAttributes(instance, topic, message),
    resource: instance.resource,
    scope: instance.dialect.scopes.messaging,
  })
  const frame: Frame = { shop, instance, visit: message.visit, span, operation: name, held: undefined }
  try {
    yield* runSteps(frame, steps)
  } catch (error) {
    const fault = asFault(error)
    span.markFailed(fault.type, fault.message)
    recordException(frame, span, fault)
    say(frame, 'error', `${name} gave up: ${fault.message}`, exceptionAttributes(frame, fault))
  }
  instance.measures.requests += 1
  shop.recorder.endSpan(span)
}

function consumerAttributes(instance: Instance, topic: Topic, message: Message): Attributes {
  const attributes: Attributes = {
    'messaging.system': topic.spec.system,
    'messaging.destination.name': topic.name,
    'messaging.operation.name': 'process',
    'messaging.operation.type': 'process',
    'messaging.consumer.group.name': instance.spec.name,
    'messaging.client.id': instance.podName,
    'server.address': topic.spec.address,
    'server.port': topic.spec.port,
    'tenant.id': message.visit.tenant,
  }
  if (topic.spec.system !== 'kafka') return attributes
  return {
    ...attributes,
    'messaging.destination.partition.id': String(message.partition),
    'messaging.kafka.offset': message.offset,
  }
}
