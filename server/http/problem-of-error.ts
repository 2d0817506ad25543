import { BackupRefused } from '../backup/backup-refused.ts'
import { BackupUnderWay } from '../backup/backups.ts'
import { TooManyPictures } from '../charts/picture.ts'
import { AlreadyExists } from '../control/control-store.ts'
import { RecordRefused } from '../control/record-refused.ts'
import { QueryTimeout, StoreUnavailable } from '../domain/store-errors.ts'
import { IdentityProviderUnavailable } from '../identity/identity-provider-unavailable.ts'
import { Problem, type ProblemKind } from './problem.ts'

/** Faults that the framework or the HTTP parser finds before a route does, by their codes. */
const BY_CODE: Record<string, { kind: ProblemKind; detail: string }> = {
  FST_ERR_BAD_URL: { kind: 'malformed-request', detail: 'The path is not properly percent-encoded.' },
  FST_ERR_MAX_PARAM_LENGTH: { kind: 'uri-too-long', detail: 'A part of the path is too long.' },
  FST_ERR_CTP_INVALID_JSON_BODY: { kind: 'malformed-body', detail: 'The body is not valid JSON.' },
  FST_ERR_CTP_BODY_TOO_LARGE: { kind: 'body-too-large', detail: 'The body may have at most 1 MiB.' },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    kind: 'malformed-request',
    detail: 'The body is not as long as the header Content-Length says.',
  },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    kind: 'unsupported-media-type',
    detail: 'The body must be JSON, with the header Content-Type: application/json.',
  },
  HPE_HEADER_OVERFLOW: {
    kind: 'headers-too-large',
    detail: 'The headers of the request, with its address, may have at most 16 KiB.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: { kind: 'request-timeout', detail: 'The request did not arrive completely in time.' },
}

/** What went wrong, in terms of the interface. What is not recognised is a fault of ours and says nothing of it. */
export function problemOfError(error: unknown): Problem {
  if (error instanceof Problem) return error
  if (error instanceof QueryTimeout) {
    const detail = 'The question took too long. Ask for a narrower time window or give more filters.'
    return new Problem('query-timeout', detail, { cause: error })
  }
  if (error instanceof StoreUnavailable) {
    return new Problem('store-unavailable', error.message, { cause: error, headers: { 'retry-after': '5' } })
  }
  if (error instanceof TooManyPictures) {
    return new Problem('too-many-pictures', error.message, { headers: { 'retry-after': '1' } })
  }
  if (error instanceof AlreadyExists) return new Problem('already-exists', error.message)
  if (error instanceof BackupUnderWay) return new Problem('backup-under-way', error.message)
  if (error instanceof BackupRefused) return new Problem('unusable-folder', error.message)
  if (error instanceof RecordRefused) return new Problem('invalid-body', error.message)
  if (error instanceof IdentityProviderUnavailable) {
    const detail = 'The provider that vouches for bearer tokens cannot be asked at the moment.'
    return new Problem('identity-provider-unavailable', detail, { cause: error, headers: { 'retry-after': '5' } })
  }
  const known = BY_CODE[codeOf(error)]
  if (known) return new Problem(known.kind, known.detail, { cause: error })
  const detail = 'The server failed to answer. The fault was logged under the id in the header X-Request-Id.'
  return new Problem('internal-error', detail, { cause: error })
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
