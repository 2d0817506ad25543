import { Metadata, type StatusObject } from '@grpc/grpc-js'
import { encodeStatus } from '../ingest/otlp/responses.ts'
import type { Refusal } from './refusal.ts'
import { statusOf } from './refusal-status.ts'

/** Carries google.rpc.Status as well, whose RetryInfo tells clients when to come back. */
export function grpcStatusOf(refusal: Refusal): StatusObject {
  const { grpc: code, message: details } = statusOf(refusal)
  const metadata = new Metadata()
  const whole = encodeStatus('protobuf', code, details, refusal.retryAfterMs)
  metadata.set('grpc-status-details-bin', Buffer.from(whole.buffer, whole.byteOffset, whole.byteLength))
  return { code, details, metadata }
}
