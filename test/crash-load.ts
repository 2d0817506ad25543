import { setTimeout as sleep } from 'node:timers/promises'
import { ask, TRACES } from './api.ts'
import { nanoseconds, type Signal, sendOtlp, spanIdOf, text, traceIdOf, traceRequest } from './otlp.ts'
import type { ServerProcess } from './server-process.ts'

export const SPANS_PER_BATCH = 50
const SENDERS = 4
const SIGNALS: Signal[] = ['traces', 'logs', 'metrics']

/** A client that keeps sending, remembers what was acknowledged, and sends again what was not. */
export class CrashLoad {
  readonly acknowledged = new Set<number>()
  readonly unacknowledged = new Set<number>()
  readonly startMs = Date.now() - 60_000
  private readonly pauseMs: number
  private next = 0

  /** Each sender pauses between its batches. */
  constructor({ pauseMs = 0 } = {}) {
    this.pauseMs = pauseMs
  }

  /** Sends over several connections until the server is gone; calls back after each acknowledged batch. */
  async sendUntilGone(server: ServerProcess, acknowledged: (batches: number) => void): Promise<void> {
    const before = this.acknowledged.size
    await Promise.all(
      Array.from({ length: SENDERS }, async () => {
        while (await this.send(server, this.next++)) {
          acknowledged(this.acknowledged.size - before)
          if (this.pauseMs > 0) await sleep(this.pauseMs)
        }
      }),
    )
  }

  /** As a client does that does not know what became of its last requests; one goes out in other company than before. */
  async sendAgain(server: ServerProcess): Promise<void> {
    const last = [...this.acknowledged].at(-1) ?? 0
    const unknown = [...this.unacknowledged]
    const mixed = [...this.spans(last).slice(10), ...unknown.flatMap((batch) => this.spans(batch).slice(0, 7))]
    const { status } = await sendOtlp(server.otlpHttpUrl, 'traces', traceRequest(mixed, 'load'))
    if (status !== 200) throw new Error(`A retry was answered with ${status}.`)
    for (const batch of [last, ...unknown]) {
      if (!(await this.send(server, batch))) throw new Error('A retry was not taken.')
    }
  }

  /** How many spans of a batch there are, and how many of them differ. */
  async countOf(server: ServerProcess, batch: number): Promise<{ spans: number; different: number }> {
    const path = `${TRACES}/correlations/${traceIdOf(batch)}/spans`
    const { status, body } = await ask<{ spans: { spanId: string }[] }>(server, path)
    if (status === 404) return { spans: 0, different: 0 }
    return { spans: body.spans.length, different: new Set(body.spans.map(({ spanId }) => spanId)).size }
  }

  /** False where the server did not acknowledge all of it. */
  private async send(server: ServerProcess, batch: number): Promise<boolean> {
    this.unacknowledged.add(batch)
    for (const signal of SIGNALS) {
      const answer = await sendOtlp(server.otlpHttpUrl, signal, this.request(signal, batch)).catch(() => undefined)
      if (answer?.status !== 200) return false
    }
    this.unacknowledged.delete(batch)
    this.acknowledged.add(batch)
    return true
  }

  private request(signal: Signal, batch: number): object {
    const resource = { attributes: [text('service.name', 'load')] }
    const timeUnixNano = nanoseconds(this.startMs + batch)
    if (signal === 'traces') return traceRequest(this.spans(batch), 'load')
    if (signal === 'logs') {
      const logRecords = [{ timeUnixNano, body: { stringValue: `batch ${batch}` }, traceId: traceIdOf(batch) }]
      return { resourceLogs: [{ resource, scopeLogs: [{ logRecords }] }] }
    }
    const metrics = [{ name: 'batches', gauge: { dataPoints: [{ timeUnixNano, asInt: batch }] } }]
    return { resourceMetrics: [{ resource, scopeMetrics: [{ metrics }] }] }
  }

  private spans(batch: number) {
    return Array.from({ length: SPANS_PER_BATCH }, (_, i) => ({
      traceId: traceIdOf(batch),
      spanId: spanIdOf(batch * SPANS_PER_BATCH + i + 1),
      startMs: this.startMs + batch,
    }))
  }
}
