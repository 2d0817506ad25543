import type { SpanContext } from '@opentelemetry/api'
import { TOPICS, type TopicName, type TopicSpec } from '../topology/dependencies.ts'
import type { Visit } from './visit.ts'

export interface Message {
  readonly sender: SpanContext
  readonly visit: Visit
  readonly partition: number
  readonly offset: number
}

/** Starts work on a message if anyone is free, and says whether someone was. */
export type Consumer = (message: Message) => boolean

/** What one group of consumers has not yet read. */
export class ConsumerGroup {
  readonly #consume: Consumer
  readonly #backlog: Message[] = []

  constructor(consume: Consumer) {
    this.#consume = consume
  }

  get lag(): number {
    return this.#backlog.length
  }

  add(message: Message): void {
    this.#backlog.push(message)
    // Like a broker's retention: what nobody read for that long is gone.
    if (this.#backlog.length > BACKLOG_MAX) this.#backlog.shift()
    this.deliver()
  }

  /** Hands over messages until nobody is free; called again whenever a consumer has finished. */
  deliver(): void {
    for (let next = this.#backlog[0]; next !== undefined && this.#consume(next); next = this.#backlog[0]) {
      this.#backlog.shift()
    }
  }
}

const BACKLOG_MAX = 20_000

/** A queue between services; every group gets every message. */
export class Topic {
  readonly name: TopicName
  readonly spec: TopicSpec
  readonly groups = new Map<string, ConsumerGroup>()
  #published = 0

  constructor(name: TopicName) {
    this.name = name
    this.spec = TOPICS[name]
  }

  publish(sender: SpanContext, visit: Visit): Message {
    const number = this.#published++
    const message: Message = {
      sender,
      visit,
      partition: number % this.spec.partitions,
      offset: Math.floor(number / this.spec.partitions),
    }
    for (const group of this.groups.values()) group.add(message)
    return message
  }
}
