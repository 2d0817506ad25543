import { GRID_ID, OWNER_KEY, type ServerProcess } from './server-process.ts'

export interface Answer<T = Record<string, unknown>> {
  status: number
  headers: Headers
  body: T
}

/** A header without a value is not sent. */
export type Asking = { headers?: Record<string, string | undefined>; method?: string; body?: unknown }

/** One question to the API, by default with the Owner's key and in the supported version. */
export async function ask<T = Record<string, unknown>>(
  { url }: Pick<ServerProcess, 'url'>,
  path: string,
  { headers, method, body }: Asking = {},
): Promise<Answer<T>> {
  const wanted = {
    'api-key': OWNER_KEY,
    'x-api-version': '2.0',
    'content-type': body === undefined ? undefined : 'application/json',
    ...headers,
  }
  const response = await fetch(`${url}${path}`, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: Object.entries(wanted).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, value]],
    ),
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: (text && JSON.parse(text)) as T }
}

export const TRACES = `/apm/traces/${GRID_ID}`
export const LOGS = `/apm/logs/${GRID_ID}`
