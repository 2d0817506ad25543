import type { PrivacyPolicy } from '../domain/privacy-rule.ts'
import { QueryTimeout, StoreUnavailable, StoreUnusable } from '../domain/store-errors.ts'
import { type ExportRequest, MalformedRequest } from '../ingest/ingest.ts'
import type { TelemetryReader, TelemetryStore } from '../storage/telemetry-store.ts'

/** What the main thread asks of the store's thread. */
export type Call =
  | { to: 'export'; request: ExportRequest }
  | { to: 'privacy'; gridId: string; policy: PrivacyPolicy }
  | { to: 'reader'; gridId: string; method: keyof TelemetryReader; args: unknown[] }
  | { to: 'store'; method: StoreMethod; args: unknown[] }

export type StoreMethod = keyof Pick<
  TelemetryStore,
  | 'setApdex'
  | 'expire'
  | 'fitInto'
  | 'usage'
  | 'dropGrid'
  | 'settledHours'
  | 'deleteRecords'
  | 'files'
  | 'holdFiles'
  | 'releaseFiles'
  | 'measure'
  | 'close'
>

export interface CallMessage {
  id: number
  call: Call
}

/** The answer to the opening of the store, which nobody calls for, has this id. */
export const OPENING_ID = 0

export type Answer =
  | { kind: 'warning'; message: string }
  /** Of a body that was decoded. */
  | { kind: 'memory'; buffer: ArrayBuffer }
  | { kind: 'result'; id: number; value: unknown }
  | { kind: 'failure'; id: number; name: string; message: string }

const ERRORS = { MalformedRequest, QueryTimeout, StoreUnavailable, StoreUnusable }

/** Errors lose their class on the way between threads. */
export function reviveError(name: string, message: string): Error {
  return name in ERRORS ? new ERRORS[name as keyof typeof ERRORS](message) : new Error(message)
}
