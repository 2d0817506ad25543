import type { Signal } from '../../../../server/ingest/ingest.ts'
import type { Export } from '../../incidents/incident.ts'

/** What travels in one request. */
const BUCKET_MS = 60_000

const SHAPES = {
  traces: { top: 'resourceSpans', scope: 'scopeSpans', records: 'spans' },
  logs: { top: 'resourceLogs', scope: 'scopeLogs', records: 'logRecords' },
  metrics: { top: 'resourceMetrics', scope: 'scopeMetrics', records: 'metrics' },
} as const satisfies Record<Signal, object>

/** Gathers records by the minute in which they were sent and by who sent them. */
export class Records {
  readonly #signal: Signal
  readonly #buckets = new Map<number, Map<string, string[]>>()

  constructor(signal: Signal) {
    this.#signal = signal
  }

  add(sentMs: number, resource: string, record: string): void {
    const bucket = Math.floor(sentMs / BUCKET_MS)
    const byResource = this.#buckets.get(bucket) ?? new Map<string, string[]>()
    this.#buckets.set(bucket, byResource)
    const own = byResource.get(resource)
    if (own) own.push(record)
    else byResource.set(resource, [record])
  }

  *exports(): Generator<Export> {
    const { top, scope, records } = SHAPES[this.#signal]
    for (const [, byResource] of [...this.#buckets].toSorted(([a], [b]) => a - b)) {
      const parts = [...byResource].map(
        ([resource, own]) =>
          `{"resource":{"attributes":${resource}},"${scope}":[{"scope":{"name":"app"},"${records}":[${own.join(',')}]}]}`,
      )
      yield { signal: this.#signal, body: `{"${top}":[${parts.join(',')}]}` }
    }
  }
}
