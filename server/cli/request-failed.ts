import { CommandFailed } from './failure.ts'

/** Busy faults pass by themselves; an unreachable server may never have been there; refused is final. */
type Fault = 'busy' | 'unreachable' | 'refused'

/** A request got no answer, or not the one that was hoped for. */
export class RequestFailed extends CommandFailed {
  override readonly name = 'RequestFailed'
  readonly kind: Fault
  /** Undefined where no answer came. */
  readonly status: number | undefined
  readonly retryAfterMs: number | undefined

  constructor(kind: Fault, message: string, status?: number, retryAfterMs?: number) {
    super(message)
    this.kind = kind
    this.status = status
    this.retryAfterMs = retryAfterMs
  }
}

/** In seconds, or as a date; undefined where there is none that makes sense. */
export function retryAfterMsOf(headers: Headers, nowMs: number): number | undefined {
  const value = headers.get('retry-after')?.trim()
  if (!value) return undefined
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000
  const dateMs = Date.parse(value)
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - nowMs)
}

/** Why a call of `fetch` gave no answer, in words. */
export function unreachable(url: string, error: unknown): RequestFailed {
  const code = codeOf(error)
  const { origin } = new URL(url)
  const why = WORDS[code] ?? (code || 'no answer')
  return new RequestFailed('unreachable', `${origin} cannot be reached (${why}): ${HINTS[code] ?? 'is it running?'}`)
}

const WORDS: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was cut',
  UND_ERR_SOCKET: 'the connection was cut',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'no such host',
  TimeoutError: 'no answer in time',
}

const UNTRUSTED = 'give its certificate in NODE_EXTRA_CA_CERTS'
const HINTS: Record<string, string> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
}

/** `fetch` hides the reason behind a cause, and that behind another where a host has several addresses. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  if ('code' in error && typeof error.code === 'string') return error.code
  if (error.name === 'TimeoutError') return error.name
  if (error instanceof AggregateError) return codeOf(error.errors[0])
  return codeOf(error.cause)
}
