import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'undici'
import { AckWatch } from './ack-watch.ts'
import type { LoadOptions } from './load-options.ts'
import { Pace } from './pace.ts'
import type { Batch, SpanGenerator } from './span-generator.ts'

const RETRY_AFTER_ERROR_MS = 250
const UNEXPECTED_MAX = 10
const REQUEST_TIMEOUT_MS = 120_000

interface SenderEvents {
  /** Called before the memory of the batch is used again. */
  acknowledged(batch: Batch): void
}

/** Sends batches over kept connections, each again until it is acknowledged: nothing is skipped. */
export class Sender {
  readonly watch = new AckWatch()
  refusals = 0
  brokenRequests = 0
  readonly unexpectedAnswers: string[] = []
  private readonly options: LoadOptions
  private readonly generator: SpanGenerator
  private readonly events: SenderEvents
  private readonly pace: Pace
  private givenUp = false

  constructor(options: LoadOptions, generator: SpanGenerator, events: SenderEvents) {
    this.options = options
    this.generator = generator
    this.events = events
    this.pace = new Pace(options)
  }

  async run(): Promise<void> {
    await Promise.all(Array.from({ length: this.options.connections }, () => this.sendOverOneConnection()))
  }

  /** No new batch is begun; those under way go on until they are acknowledged, or until `giveUp`. */
  stop(): void {
    this.pace.stop()
  }

  giveUp(): void {
    this.stop()
    this.givenUp = true
  }

  private async sendOverOneConnection(): Promise<void> {
    const client = new Client(this.options.url, { headersTimeout: REQUEST_TIMEOUT_MS, bodyTimeout: REQUEST_TIMEOUT_MS })
    const memory = Buffer.allocUnsafeSlow(this.generator.bodyBytesMax)
    for (let dueMs = await this.pace.next(); dueMs !== undefined; dueMs = await this.pace.next()) {
      const batch = this.generator.next(memory)
      this.watch.requested(performance.now())
      if (await this.deliver(client, batch)) {
        this.watch.acknowledged(batch.spanCount, dueMs, performance.now())
        this.events.acknowledged(batch)
      } else this.watch.ended(performance.now())
    }
    await client.destroy()
  }

  private async deliver(client: Client, batch: Batch): Promise<boolean> {
    while (!this.givenUp) {
      const waitMs = await this.attempt(client, batch).catch(() => {
        this.brokenRequests++
        return RETRY_AFTER_ERROR_MS
      })
      if (waitMs === 0) return true
      await delay(waitMs)
    }
    return false
  }

  /** Resolves with 0 for an acknowledgement, else with how long to wait before trying again. */
  private async attempt(client: Client, { body }: Batch): Promise<number> {
    const answer = await client.request({
      method: 'POST',
      path: this.options.records === 'logs' ? '/v1/logs' : '/v1/traces',
      headers: { 'content-type': 'application/x-protobuf', 'api-key': this.options.apiKey },
      body,
    })
    const bytes = Buffer.from(await answer.body.arrayBuffer())
    if (answer.statusCode === 200) {
      // A whole success is an empty message; anything else in it says that spans were rejected.
      if (bytes.length > 0) this.note(`200 with ${bytes.toString('latin1')}`)
      return 0
    }
    const retryAfterMs = Number(answer.headers['retry-after'] ?? 0) * 1000
    if (answer.statusCode === 429 || answer.statusCode === 503) this.refusals++
    else this.note(`${answer.statusCode} ${bytes.toString('latin1')}`)
    return Math.max(retryAfterMs, RETRY_AFTER_ERROR_MS)
  }

  private note(answer: string): void {
    if (this.unexpectedAnswers.length < UNEXPECTED_MAX) this.unexpectedAnswers.push(answer.slice(0, 300))
  }
}
