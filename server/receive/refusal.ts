import { StoreUnavailable } from '../domain/store-errors.ts'
import { MalformedRequest } from '../ingest/ingest.ts'

/** Why a sender was turned away. Also the `reason` label of the server's own metrics. */
export type RefusalReason =
  | 'unauthenticated'
  | 'too_many_failed_logins'
  | 'forbidden'
  | 'subscription'
  | 'quota'
  | 'overloaded'
  | 'unavailable'
  | 'malformed'
  | 'too_large'
  | 'unsupported_type'
  | 'unsupported_encoding'
  | 'wrong_method'
  | 'unknown_path'
  | 'cancelled'

/** The message is for the sender. With `retryAfterMs` the same request may succeed later. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly reason: RefusalReason
  readonly retryAfterMs: number | undefined

  constructor(reason: RefusalReason, message: string, retryAfterMs?: number) {
    super(message)
    this.reason = reason
    this.retryAfterMs = retryAfterMs
  }
}

export const RETRY_AFTER_MS = 2_000

/** Undefined for what nobody foresaw: that must be logged and says nothing of the inside. */
export function knownRefusal(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error
  if (error instanceof MalformedRequest) return new Refusal('malformed', error.message)
  if (error instanceof StoreUnavailable) return new Refusal('unavailable', error.message, RETRY_AFTER_MS)
  return undefined
}
