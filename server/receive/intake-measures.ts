import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { ExportOutcome, Signal } from '../ingest/ingest.ts'
import type { RefusalReason } from './refusal.ts'

type Transport = 'http' | 'grpc'

/** What the receivers tell about themselves. */
export interface IntakeMeasures {
  requested(signal: Signal, transport: Transport): void
  acknowledged(signal: Signal, outcome: ExportOutcome, latencyMs: number): void
  refused(reason: RefusalReason): void
  bytesInFlight(bytes: number): void
}

const ACK_BUCKETS_S = [0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1, 2, 5, 10]

export function createIntakeMeasures(registry: Registry): IntakeMeasures {
  const registers = [registry]
  const requests = new Counter({
    name: 'faultline_otlp_requests_total',
    help: 'OTLP export requests that arrived.',
    labelNames: ['signal', 'transport'] as const,
    registers,
  })
  const records = new Counter({
    name: 'faultline_otlp_records_total',
    help: 'Records in acknowledged requests, by whether they were accepted or rejected.',
    labelNames: ['signal', 'outcome'] as const,
    registers,
  })
  const truncated = new Counter({
    name: 'faultline_otlp_truncated_attributes_total',
    help: 'Attribute values that were cut or left out to keep to the limits.',
    labelNames: ['signal'] as const,
    registers,
  })
  const refusals = new Counter({
    name: 'faultline_otlp_refused_total',
    help: 'OTLP requests that were refused, by reason.',
    labelNames: ['reason'] as const,
    registers,
  })
  const inFlight = new Gauge({
    name: 'faultline_otlp_in_flight_bytes',
    help: 'Bytes of requests being read, decompressed or committed.',
    registers,
  })
  const latency = new Histogram({
    name: 'faultline_otlp_acknowledgement_seconds',
    help: 'From a whole request to its acknowledgement, the commit included.',
    labelNames: ['signal'] as const,
    buckets: ACK_BUCKETS_S,
    registers,
  })
  return {
    requested: (signal, transport) => requests.inc({ signal, transport }),
    acknowledged(signal, outcome, latencyMs) {
      records.inc({ signal, outcome: 'accepted' }, outcome.accepted)
      records.inc({ signal, outcome: 'rejected' }, outcome.rejected)
      truncated.inc({ signal }, outcome.truncatedAttributes)
      latency.observe({ signal }, latencyMs / 1_000)
    },
    refused: (reason) => refusals.inc({ reason }),
    bytesInFlight: (bytes) => inFlight.set(bytes),
  }
}
