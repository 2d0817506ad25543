import { status as grpcStatus } from '@grpc/grpc-js'
import type { Refusal, RefusalReason } from './refusal.ts'

interface RefusalStatus {
  http: number
  /** Also the `code` of the Status in an HTTP answer. */
  grpc: number
}

/** OTLP clients retry 429 and 503, UNAVAILABLE, and RESOURCE_EXHAUSTED where it says when; nothing else here. */
const STATUSES: Record<RefusalReason, RefusalStatus> = {
  unauthenticated: { http: 401, grpc: grpcStatus.UNAUTHENTICATED },
  too_many_failed_logins: { http: 429, grpc: grpcStatus.RESOURCE_EXHAUSTED },
  forbidden: { http: 403, grpc: grpcStatus.PERMISSION_DENIED },
  subscription: { http: 403, grpc: grpcStatus.PERMISSION_DENIED },
  quota: { http: 429, grpc: grpcStatus.RESOURCE_EXHAUSTED },
  overloaded: { http: 503, grpc: grpcStatus.UNAVAILABLE },
  unavailable: { http: 503, grpc: grpcStatus.UNAVAILABLE },
  malformed: { http: 400, grpc: grpcStatus.INVALID_ARGUMENT },
  too_large: { http: 413, grpc: grpcStatus.RESOURCE_EXHAUSTED },
  unsupported_type: { http: 415, grpc: grpcStatus.INVALID_ARGUMENT },
  unsupported_encoding: { http: 415, grpc: grpcStatus.UNIMPLEMENTED },
  wrong_method: { http: 405, grpc: grpcStatus.UNIMPLEMENTED },
  unknown_path: { http: 404, grpc: grpcStatus.NOT_FOUND },
  cancelled: { http: 400, grpc: grpcStatus.CANCELLED },
}

const MESSAGE_BYTES_MAX = 1_024

export function statusOf(refusal: Refusal): RefusalStatus & { message: string } {
  return { ...STATUSES[refusal.reason], message: presentable(refusal.message) }
}

/** A message may quote what was sent: cut to what fits a header, and free of halves of surrogate pairs. */
function presentable(message: string): string {
  return Buffer.from(message.slice(0, MESSAGE_BYTES_MAX), 'utf8').toString('utf8')
}
