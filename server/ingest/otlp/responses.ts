import type { Encoding, ExportOutcome, Signal } from '../ingest.ts'
import { ProtoWriter } from './proto-writer.ts'
import { utf8Of } from './utf8.ts'
import { BYTES, VARINT } from './wire-reader.ts'

const RETRY_INFO = 'type.googleapis.com/google.rpc.RetryInfo'

const REJECTED_NAMES: Record<Signal, string> = {
  traces: 'rejectedSpans',
  logs: 'rejectedLogRecords',
  metrics: 'rejectedDataPoints',
}

/** The answer to an export that succeeded, in whole or in part. */
export function encodeExportResponse(signal: Signal, encoding: Encoding, outcome: ExportOutcome): Uint8Array {
  const { rejected, reason } = outcome
  const whole = rejected === 0 && reason === ''
  if (encoding === 'json') {
    const partialSuccess = { [REJECTED_NAMES[signal]]: String(rejected), errorMessage: reason }
    return utf8Of(JSON.stringify(whole ? {} : { partialSuccess }))
  }
  const writer = new ProtoWriter()
  if (whole) return writer.finish()
  writer.message(1, () => {
    writer.tag(1, VARINT)
    writer.varint(rejected)
    writeText(writer, 2, reason)
  })
  return writer.finish()
}

/** A google.rpc.Status, the answer to an export that failed; with a delay it says when to try again. */
export function encodeStatus(encoding: Encoding, code: number, message: string, retryDelayMs?: number): Uint8Array {
  if (encoding === 'json') {
    const details = retryDelayMs === undefined ? [] : [{ '@type': RETRY_INFO, retryDelay: `${retryDelayMs / 1000}s` }]
    return utf8Of(JSON.stringify(details.length === 0 ? { code, message } : { code, message, details }))
  }
  const writer = new ProtoWriter()
  writer.tag(1, VARINT)
  writer.varint(code)
  writeText(writer, 2, message)
  if (retryDelayMs !== undefined) writer.message(3, () => writeRetryInfo(writer, retryDelayMs))
  return writer.finish()
}

/** What gRPC carries in `grpc-status-details-bin`. */
export function encodeRetryInfoStatus(code: number, message: string, retryDelayMs: number): Uint8Array {
  return encodeStatus('protobuf', code, message, retryDelayMs)
}

/** A google.protobuf.Any that holds a RetryInfo. */
function writeRetryInfo(writer: ProtoWriter, delayMs: number): void {
  writeText(writer, 1, RETRY_INFO)
  writer.message(2, () =>
    writer.message(1, () => {
      writer.tag(1, VARINT)
      writer.varint(Math.floor(delayMs / 1000))
      writer.tag(2, VARINT)
      writer.varint(Math.round((delayMs % 1000) * 1e6))
    }),
  )
}

function writeText(writer: ProtoWriter, field: number, text: string): void {
  writer.tag(field, BYTES)
  writer.string(text)
}
