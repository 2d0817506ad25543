import type { Attempt } from '../control/notification-store.ts'
import { AddressRefused } from './address-guard.ts'

const CODES: Record<string, string> = {
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection was cut.',
  ENOTFOUND: 'The host is unknown.',
  EAI_AGAIN: 'The host could not be resolved.',
  EHOSTUNREACH: 'The host cannot be reached.',
  ENETUNREACH: 'The network cannot be reached.',
  ETIMEDOUT: 'The receiver did not answer in time.',
  UND_ERR_SOCKET: 'The connection was cut.',
  UND_ERR_CONNECT_TIMEOUT: 'The receiver did not answer in time.',
  EAUTH: 'The mail server refused the user or the password.',
  EENVELOPE: 'The mail server refused the sender or all recipients.',
  ETLS: 'No protected connection to the mail server came about.',
}

/** Says what went wrong without a word that somebody else has written: it could hold a secret. */
export function failedAttempt(error: unknown): Attempt {
  return { delivered: false, statusCode: null, error: reasonOf(error) }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'The message could not be sent.'
  if (error instanceof AddressRefused) return error.message
  if (error.name === 'TimeoutError') return 'The receiver did not answer in time.'
  const code = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return CODES[code] ?? `The message could not be sent${/^[A-Z][A-Z0-9_]+$/.test(code) ? ` (${code})` : ''}.`
}
