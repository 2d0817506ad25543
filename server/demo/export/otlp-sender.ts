import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-proto'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import type { ReadableLogRecord } from '@opentelemetry/sdk-logs'
import type { ResourceMetrics } from '@opentelemetry/sdk-metrics'
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base'
import type { Telemetry } from '../emit/telemetry.ts'
import { MetricGatherer, pointCountOf } from './gather-metrics.ts'
import { Lane, type LaneCounts } from './lane.ts'
import { onPartialSuccess } from './partial-success.ts'

/** Long enough for an exporter's own retries: five, each when the server's `Retry-After` says. */
const EXPORT_TIMEOUT_MS = 60_000

export interface SenderSetup {
  /** Where OTLP over HTTP is taken, without `/v1/…`. */
  endpoint: string
  headers: Record<string, string>
  onTrouble: (text: string) => void
}

export interface ExportCounts {
  spans: LaneCounts
  logs: LaneCounts
  metricPoints: LaneCounts
  /** Records in acknowledged batches that the server said it did not keep. */
  rejected: number
}

export interface OtlpSender {
  /** Resolves when there is room for more. */
  send(telemetry: Telemetry): Promise<void>
  /** Sends what has gathered without waiting for full batches. */
  flush(): Promise<void>
  /** From now on nothing here waits for the server, except closing. */
  hurry(): void
  /** Delivers the rest, but for no longer than given, and says what became of everything. */
  close(patienceMs: number): Promise<ExportCounts>
}

/** Sends through the official exporters, which retry what the server is too busy for. */
export function openOtlpSender(setup: SenderSetup): OtlpSender {
  const notTaken = (what: string) => (error: Error, count: number) =>
    setup.onTrouble(`${count} ${what} were not taken: ${reasonOf(error)}`)
  const spanExporter = new OTLPTraceExporter(exporterOptions(setup, 'traces'))
  const logExporter = new OTLPLogExporter(exporterOptions(setup, 'logs'))
  const metricExporter = new OTLPMetricExporter(exporterOptions(setup, 'metrics'))
  const spans = new Lane<ReadableSpan>({
    batchMax: 2500,
    inFlightMax: 4,
    export: (batch) => exported((done) => spanExporter.export(batch, done)),
    countOf: () => 1,
    onFailure: notTaken('spans'),
  })
  const logs = new Lane<ReadableLogRecord>({
    batchMax: 2500,
    inFlightMax: 2,
    export: (batch) => exported((done) => logExporter.export(batch, done)),
    countOf: () => 1,
    onFailure: notTaken('log records'),
  })
  const metrics = new Lane<ResourceMetrics>({
    batchMax: 1,
    inFlightMax: 8,
    export: async (batch) => {
      for (const one of batch) await exported((done) => metricExporter.export(one, done))
    },
    countOf: pointCountOf,
    onFailure: notTaken('metric points'),
  })
  return createSender({ spans, logs, metrics }, setup, async () => {
    await Promise.all([spanExporter.shutdown(), logExporter.shutdown(), metricExporter.shutdown()])
  })
}

interface Lanes {
  spans: Lane<ReadableSpan>
  logs: Lane<ReadableLogRecord>
  metrics: Lane<ResourceMetrics>
}

function createSender({ spans, logs, metrics }: Lanes, setup: SenderSetup, shutDown: () => Promise<void>): OtlpSender {
  const lanes = [spans, logs, metrics]
  const gatherer = new MetricGatherer()
  let rejected = 0
  const stopListening = onPartialSuccess((count, reason) => {
    rejected += count
    setup.onTrouble(`The server did not keep ${count} records: ${reason}`)
  })
  return {
    async send(telemetry) {
      await spans.add(telemetry.spans)
      await logs.add(telemetry.logs)
      for (const one of telemetry.metrics) {
        const full = gatherer.add(one)
        if (full !== undefined) await metrics.add([full])
      }
    },
    async flush() {
      await spans.flush()
      await logs.flush()
      await metrics.add(gatherer.takeAll())
    },
    hurry() {
      for (const lane of lanes) lane.hurry()
    },
    async close(patienceMs) {
      this.hurry()
      await metrics.add(gatherer.takeAll())
      await atMost(Promise.all(lanes.map((lane) => lane.settle())).then(shutDown), patienceMs)
      for (const lane of lanes) lane.abandon()
      stopListening()
      return { spans: spans.counts, logs: logs.counts, metricPoints: metrics.counts, rejected }
    },
  }
}

function exporterOptions({ endpoint, headers }: SenderSetup, signal: string) {
  const url = `${endpoint.replace(/\/+$/, '')}/v1/${signal}`
  return { url, headers, timeoutMillis: EXPORT_TIMEOUT_MS, concurrencyLimit: 16 }
}

function exported(send: (done: (result: { code: number; error?: Error }) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    // Zero is the exporters' code for success.
    send(({ code, error }) => (code === 0 ? resolve() : reject(error ?? new Error('the export failed'))))
  })
}

/** An answer's text says more than its status line. */
function reasonOf(error: Error & { code?: unknown }): string {
  return error.code === undefined ? error.message : `${error.message} (${String(error.code)})`
}

async function atMost(work: Promise<void>, patienceMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, patienceMs)
  })
  await Promise.race([work, patience])
  clearTimeout(timer)
}
