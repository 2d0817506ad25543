import { RequestFailed, retryAfterMsOf, unreachable } from './request-failed.ts'
import { type Patience, retrying } from './retry.ts'

/** The headers that prove who asks. */
export type Credential = () => Promise<Record<string, string>>

export type Query = Record<string, string | number | undefined>

/** The API of a running server. Every call waits where the server asks for it, and fails with `RequestFailed`. */
export interface ApiClient {
  readonly url: string
  get<T>(path: string, query?: Query): Promise<T>
  /** For an answer that is no JSON. */
  getBytes(path: string, query?: Query): Promise<Uint8Array>
  post<T>(path: string, body?: unknown): Promise<T>
  put<T>(path: string, body: unknown): Promise<T>
  remove(path: string): Promise<void>
}

export interface ApiClientOptions {
  /** Without a slash at its end. */
  url: string
  credential: Credential
  patience: Patience
}

const API_VERSION = '2.0'
const ANSWER_TIMEOUT_MS = 60_000

export function createApiClient({ url, credential, patience }: ApiClientOptions): ApiClient {
  async function ask<T>(
    method: string,
    path: string,
    query: Query = {},
    body?: unknown,
    read: (response: Response) => Promise<T> = answerOf,
  ): Promise<T> {
    const address = `${url}${path}${queryText(query)}`
    return retrying(async () => {
      const response = await send(address, {
        method,
        headers: {
          ...(await credential()),
          'x-api-version': API_VERSION,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      return read(response)
    }, patience)
  }

  return {
    url,
    get: (path, query) => ask('GET', path, query),
    getBytes: (path, query) => ask('GET', path, query, undefined, bytesOf),
    post: (path, body) => ask('POST', path, {}, body),
    put: (path, body) => ask('PUT', path, {}, body),
    remove: (path) => ask('DELETE', path),
  }
}

/** One request. A redirect is not followed, since it would take the key to somewhere else. */
export async function send(url: string, init: RequestInit, timeoutMs = ANSWER_TIMEOUT_MS): Promise<Response> {
  const controller = new AbortController()
  // Goes on for the body, which is read later. `AbortSignal.timeout` may be collected before it fires.
  setTimeout(() => controller.abort(new DOMException('', 'TimeoutError')), timeoutMs).unref()
  try {
    return await fetch(url, { ...init, redirect: 'manual', signal: controller.signal })
  } catch (error) {
    throw unreachable(url, error)
  }
}

/** The text of an answer, which may break off like the connection to ask for it. */
export async function textOf(response: Response): Promise<string> {
  return response.text().catch((error: unknown) => {
    throw unreachable(response.url, error)
  })
}

async function answerOf<T>(response: Response): Promise<T> {
  const text = await textOf(response)
  const body = parsed(text)
  if (!response.ok) throw refusalOf(response, body)
  if (response.status === 204) return undefined as T
  if (body === undefined) {
    throw new RequestFailed('refused', `${response.url} answered with something other than JSON.`, response.status)
  }
  return body as T
}

async function bytesOf(response: Response): Promise<Uint8Array> {
  if (!response.ok) throw refusalOf(response, parsed(await textOf(response)))
  const bytes = await response.arrayBuffer().catch((error: unknown) => {
    throw unreachable(response.url, error)
  })
  return new Uint8Array(bytes)
}

function refusalOf(response: Response, body: unknown): RequestFailed {
  const { status, headers } = response
  const retryAfterMs = retryAfterMsOf(headers, Date.now())
  // A question that took too long is answered with 503 as well, but without a word about trying again.
  const busy = status === 429 || (status === 503 && retryAfterMs !== undefined)
  return new RequestFailed(busy ? 'busy' : 'refused', detailOf(response, body), status, retryAfterMs)
}

function detailOf({ status, statusText, url }: Response, body: unknown): string {
  if (typeof body === 'object' && body !== null && 'detail' in body && typeof body.detail === 'string') {
    return body.detail
  }
  return `${new URL(url).origin} answered ${status} ${statusText}`.trimEnd()
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function queryText(query: Query): string {
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value))
  return given.size === 0 ? '' : `?${given}`
}
