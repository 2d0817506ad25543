import { STATUS_CODES } from 'node:http'

/** Every kind of problem there is. `about` is its entry in the documentation. */
export const PROBLEM_KINDS = {
  'unknown-path': { status: 404, about: 'No such path exists in this interface.' },
  'method-not-allowed': {
    status: 405,
    about: 'The path exists, but not with this method; `Allow` lists those it has.',
  },
  'missing-version': {
    status: 400,
    about: 'Neither `api-version` in the query nor the header `X-Api-Version` was given.',
  },
  'unsupported-version': { status: 400, about: 'The version asked for is not one that this server speaks.' },
  'conflicting-versions': { status: 400, about: 'The query and the header ask for different versions.' },
  'missing-credential': { status: 401, about: 'Neither an API key nor a bearer token was given.' },
  'invalid-credential': {
    status: 401,
    about: 'The API key or bearer token is unknown, malformed, expired or revoked.',
  },
  'too-many-failed-authentications': {
    status: 429,
    about: 'This address failed to authenticate too often. A valid credential still works from it.',
  },
  'malformed-grid-id': { status: 400, about: '`gridSecondaryId` is not a UUID.' },
  'no-access': { status: 403, about: 'The caller has no role on this Grid, or there is no such Grid.' },
  'no-active-subscription': { status: 403, about: 'The subscription of the Grid is suspended or has expired.' },
  'insufficient-role': { status: 403, about: 'The role of the caller on this Grid does not allow this.' },
  'missing-scope': { status: 403, about: 'The API key lacks the scope that this needs.' },
  'administrators-only': { status: 403, about: 'Only a platform administrator may do this.' },
  'rate-limit-exceeded': {
    status: 429,
    about: 'The caller or the Grid asks too often. `Retry-After` says how many seconds to wait.',
  },
  'too-many-questions': {
    status: 429,
    about: 'The caller has too many questions running at once, and none of them ended in time.',
  },
  'invalid-parameter': {
    status: 400,
    about: 'A parameter of the path or the query is missing or wrong; `detail` names it.',
  },
  'invalid-body': { status: 400, about: 'A field of the body is missing, unknown or wrong; `detail` names it.' },
  'malformed-body': { status: 400, about: 'The body is not JSON.' },
  'malformed-request': { status: 400, about: 'The request is not proper HTTP, or its path is not properly encoded.' },
  'body-too-large': { status: 413, about: 'The body is over 1 MiB.' },
  'uri-too-long': { status: 414, about: 'The address, or a part of its path, is too long.' },
  'unsupported-media-type': { status: 415, about: 'The body is not uncompressed `application/json`.' },
  'expectation-failed': { status: 417, about: 'The header `Expect` asks for something other than `100-continue`.' },
  'headers-too-large': { status: 431, about: 'The headers of the request, with its address, are over 16 KiB.' },
  'request-timeout': { status: 408, about: 'The request did not arrive completely in time.' },
  'unknown-grid': { status: 404, about: 'There is no such Grid. Only administrators are told so.' },
  'unknown-span': { status: 404, about: 'The Grid has no such span.' },
  'unknown-trace': { status: 404, about: 'The Grid has neither spans nor logs of such a trace.' },
  'unknown-log': { status: 404, about: 'The Grid has no such log entry, and none of such a span.' },
  'unknown-service': { status: 404, about: 'The Grid has no spans of such a service.' },
  'unknown-key': { status: 404, about: 'The Grid has no such API key.' },
  'unknown-member': { status: 404, about: 'The Grid has no such member.' },
  'unknown-user': { status: 404, about: 'There is no such user.' },
  'unknown-client': { status: 404, about: 'There is no such client.' },
  'unknown-rule': { status: 404, about: 'The Grid has no such alert rule.' },
  'unknown-alert': { status: 404, about: 'The Grid has no such alert.' },
  'unknown-channel': { status: 404, about: 'The Grid has no such notification channel.' },
  'unknown-silence': { status: 404, about: 'The Grid has no such silence, or it has ended.' },
  'unknown-privacy-rule': { status: 404, about: 'The Grid has no such privacy rule.' },
  'unknown-deletion': { status: 404, about: 'The Grid has no such deletion.' },
  'unknown-chart': { status: 404, about: 'The Grid has no such chart.' },
  'unknown-dashboard': { status: 404, about: 'The Grid has no such dashboard.' },
  'alert-not-firing': { status: 409, about: 'Only an alert that is firing can be acknowledged.' },
  'already-exists': { status: 409, about: 'Something with this id or name exists already.' },
  'unknown-backup': { status: 404, about: 'This server has made no such backup since it was started.' },
  'backup-under-way': { status: 409, about: 'Another backup is being made; one is made at a time.' },
  'unusable-folder': { status: 409, about: 'No backup can be made in this folder; `detail` says why.' },
  'own-account': { status: 409, about: 'An administrator cannot remove the account that is being used.' },
  'query-timeout': {
    status: 503,
    about: 'The question took longer than the store allows. A narrower time window or more filters help.',
  },
  'too-many-pictures': {
    status: 503,
    about: 'Too many pictures are being drawn at the moment; try again in a second.',
  },
  'identity-provider-unavailable': {
    status: 503,
    about: 'The provider that vouches for bearer tokens cannot be asked at the moment; try again later.',
  },
  'store-unavailable': { status: 503, about: 'The store cannot answer at the moment; try again later.' },
  'not-ready': { status: 503, about: 'The server cannot serve yet, or no longer; `detail` says why.' },
  'internal-error': {
    status: 500,
    about: 'A fault of the server. It was logged under the id in the header `X-Request-Id`.',
  },
} as const satisfies Record<string, { status: number; about: string }>

export type ProblemKind = keyof typeof PROBLEM_KINDS

export const PROBLEM_CONTENT_TYPE = 'application/problem+json'

/** Thrown anywhere in `http` to end a request; one place turns it into an answer. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly kind: ProblemKind
  readonly headers: Record<string, string>

  constructor(kind: ProblemKind, detail: string, options: { headers?: Record<string, string>; cause?: unknown } = {}) {
    super(detail, { cause: options.cause })
    this.kind = kind
    this.headers = options.headers ?? {}
  }

  get status(): number {
    return PROBLEM_KINDS[this.kind].status
  }
}

export interface ProblemBody {
  type: string
  title: string
  status: number
  detail: string
  instance: string
}

export function problemType(kind: ProblemKind): string {
  return `urn:faultline:problem:${kind}`
}

export function problemBody(problem: Problem, path: string): ProblemBody {
  const { status } = problem
  return {
    type: problemType(problem.kind),
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail: problem.message,
    instance: path,
  }
}
