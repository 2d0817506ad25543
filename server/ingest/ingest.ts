import type { PrivacyPolicy } from '../domain/privacy-rule.ts'

export type Signal = 'traces' | 'logs' | 'metrics'
export type Encoding = 'protobuf' | 'json'

/** One OTLP export request, decompressed and authenticated. */
export interface ExportRequest {
  gridId: string
  signal: Signal
  encoding: Encoding
  body: Uint8Array
  /** Records that began before this are older than the Grid keeps. */
  oldestNs: bigint
  /** Records that begin after this are too far in the future to be believed. */
  newestNs: bigint
}

export interface ExportOutcome {
  accepted: number
  rejected: number
  /** Why records were rejected, in words for the sender; empty where none were. */
  reason: string
  /** Attribute values that were cut or left out to keep to the limits. */
  truncatedAttributes: number
}

/** Where receivers hand over what they were sent. */
export interface Ingest {
  /**
   * Resolves once every accepted record is durable. Takes ownership of the body's memory. Rejects with `MalformedRequest`
   * (nothing of it was kept), or `StoreUnavailable` (nothing of it was acknowledged; the sender may try again).
   */
  export(request: ExportRequest): Promise<ExportOutcome>
  /** The rules that are applied to whatever is exported to the Grid after this was called. */
  setPrivacy(gridId: string, policy: PrivacyPolicy): Promise<void>
}

/** The bytes are not the message they claim to be. The message says where, for the sender. */
export class MalformedRequest extends Error {
  override readonly name = 'MalformedRequest'
}
