import type { Attributes, AttributeValue } from '../domain/attributes.ts'

/** By their numbers on the wire. */
const GRPC_STATUSES = [
  'OK',
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
]

/** What to call the failure of a span that recorded no exception: its error type, else its HTTP or gRPC status. */
export function failureTypeOf(attributes: Attributes): string {
  const errorType = attributes['error.type']
  if (typeof errorType === 'number' || (typeof errorType === 'string' && errorType !== '')) return String(errorType)
  return httpFailure(attributes) || grpcFailure(attributes)
}

function httpFailure(attributes: Attributes): string {
  const status = attributes['http.response.status_code'] ?? attributes['http.status_code']
  return Number(status) >= 400 ? String(status) : ''
}

function grpcFailure(attributes: Attributes): string {
  const status = grpcName(attributes['rpc.response.status_code'] ?? attributes['rpc.grpc.status_code'])
  return status === 'OK' ? '' : status
}

function grpcName(status: AttributeValue | undefined): string {
  if (typeof status !== 'string' && typeof status !== 'number') return ''
  return GRPC_STATUSES[Number(status)] ?? String(status)
}
