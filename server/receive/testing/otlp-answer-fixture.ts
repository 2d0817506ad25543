import protobuf from 'protobufjs'
import type { Encoding } from '../../ingest/ingest.ts'

const root = protobuf.parse(`
  syntax = "proto3";
  message Any { string type_url = 1; bytes value = 2; }
  message Status { int32 code = 1; string message = 2; repeated Any details = 3; }
  message Duration { int64 seconds = 1; int32 nanos = 2; }
  message RetryInfo { Duration retry_delay = 1; }
  message Partial { int64 rejected = 1; string error_message = 2; }
  message Response { Partial partial_success = 1; }
`).root

interface WireStatus {
  code?: number
  message?: string
  details?: { typeUrl: string; value: Uint8Array }[]
}

interface WireRetryInfo {
  retryDelay?: { seconds?: number; nanos?: number }
}

interface WireResponse {
  partialSuccess?: { rejected?: number; errorMessage?: string }
}

interface DecodedStatus {
  code: number
  message: string
  /** From the RetryInfo, which only protobuf answers are looked through for. */
  retryDelayMs: number | undefined
}

/** Reads answers as another implementation of protobuf understands them. */
export function decodeStatus(encoding: Encoding, bytes: Uint8Array): DecodedStatus {
  if (encoding === 'json') return { retryDelayMs: undefined, ...JSON.parse(Buffer.from(bytes).toString()) }
  const { code = 0, message = '', details = [] } = decode<WireStatus>('Status', bytes)
  const retry = details.find(({ typeUrl }) => typeUrl === 'type.googleapis.com/google.rpc.RetryInfo')
  return { code, message, retryDelayMs: retry === undefined ? undefined : retryDelayMs(retry.value) }
}

function retryDelayMs(retryInfo: Uint8Array): number {
  const { seconds = 0, nanos = 0 } = decode<WireRetryInfo>('RetryInfo', retryInfo).retryDelay ?? {}
  return seconds * 1_000 + nanos / 1e6
}

export function decodePartialSuccess(bytes: Uint8Array): WireResponse['partialSuccess'] {
  return decode<WireResponse>('Response', bytes).partialSuccess
}

function decode<T>(name: string, bytes: Uint8Array): T {
  const type = root.lookupType(name)
  return type.toObject(type.decode(bytes), { longs: Number }) as T
}
