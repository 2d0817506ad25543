import type { Encoding, ExportOutcome, Signal } from '../ingest/ingest.ts'

// Stands in for the encoders of the ingest folder until they are there.

const REJECTED_FIELDS: Record<Signal, string> = {
  traces: 'rejectedSpans',
  logs: 'rejectedLogRecords',
  metrics: 'rejectedDataPoints',
}

export function encodeExportResponse(signal: Signal, encoding: Encoding, outcome: ExportOutcome): Uint8Array {
  const isPartial = outcome.rejected > 0
  if (encoding === 'json') {
    const partialSuccess = { [REJECTED_FIELDS[signal]]: String(outcome.rejected), errorMessage: outcome.reason }
    return Buffer.from(JSON.stringify(isPartial ? { partialSuccess } : {}))
  }
  if (!isPartial) return new Uint8Array(0)
  return bytesField(1, Buffer.concat([varintField(1, outcome.rejected), bytesField(2, Buffer.from(outcome.reason))]))
}

export function encodeStatus(encoding: Encoding, code: number, message: string, retryDelayMs?: number): Uint8Array {
  if (encoding === 'json') return Buffer.from(JSON.stringify({ code, message }))
  const parts = [varintField(1, code), bytesField(2, Buffer.from(message))]
  if (retryDelayMs !== undefined) parts.push(bytesField(3, retryInfo(retryDelayMs)))
  return Buffer.concat(parts)
}

function retryInfo(delayMs: number): Buffer {
  const seconds = varintField(1, Math.trunc(delayMs / 1_000))
  const nanos = varintField(2, (delayMs % 1_000) * 1_000_000)
  const url = Buffer.from('type.googleapis.com/google.rpc.RetryInfo')
  return Buffer.concat([bytesField(1, url), bytesField(2, bytesField(1, Buffer.concat([seconds, nanos])))])
}

function varintField(field: number, value: number): Buffer {
  return Buffer.from([field << 3, ...varint(value)])
}

function bytesField(field: number, bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from([(field << 3) | 2, ...varint(bytes.length)]), bytes])
}

function varint(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128)
  return [...bytes, rest]
}
