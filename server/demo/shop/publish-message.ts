import { SpanKind } from '@opentelemetry/api'
import type { Process } from '../engine/kernel.ts'
import type { TopicName } from '../topology/dependencies.ts'
import { type Frame, startChild } from './frame.ts'

/** Hands a message to the broker and waits for its acknowledgement. */
export function* publishMessage(frame: Frame, name: TopicName): Process<void> {
  const { shop, instance, visit } = frame
  const topic = shop.topics.get(name)
  if (topic === undefined) throw new Error(`There is no topic ${name}.`)
  const span = startChild(frame, {
    name: `send ${name}`,
    kind: SpanKind.PRODUCER,
    scope: instance.dialect.scopes.messaging,
    attributes: {
      'messaging.system': topic.spec.system,
      'messaging.destination.name': name,
      'messaging.operation.name': 'send',
      'messaging.operation.type': 'send',
      'server.address': topic.spec.address,
      'server.port': topic.spec.port,
    },
  })
  yield* shop.kernel.sleep(shop.random.lognormal(1.8, 0.3))
  const message = topic.publish(span.context, visit)
  span.attributes['messaging.destination.partition.id'] = String(message.partition)
  shop.recorder.endSpan(span)
}
