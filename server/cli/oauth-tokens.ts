import { send, textOf } from './api-client.ts'
import { RequestFailed } from './request-failed.ts'

export interface Tokens {
  accessToken: string
  /** Undefined where there is none to be had. */
  refreshToken: string | undefined
  /** Of the access token, by this machine's clock. */
  expiresAtMs: number
}

/** A token that is about to expire might do so on its way. */
const MARGIN_MS = 30_000

export function isFresh({ expiresAtMs }: Tokens, nowMs: number): boolean {
  return nowMs < expiresAtMs - MARGIN_MS
}

/** Asks an OAuth token endpoint. Rejects with `RequestFailed`, whose message is that of the server. */
export async function requestTokens(tokenUrl: string, form: Record<string, string>): Promise<Tokens> {
  const startedMs = Date.now()
  const response = await send(tokenUrl, { method: 'POST', body: new URLSearchParams(form) })
  const answer = parsed(await textOf(response))
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: seconds = 0 } = answer
  if (response.ok && accessToken !== undefined) {
    return { accessToken, refreshToken, expiresAtMs: startedMs + seconds * 1000 }
  }
  const why = answer.error_description ?? answer.error ?? `${response.status} ${response.statusText}`
  throw new RequestFailed('refused', `${new URL(tokenUrl).origin} gave no token: ${why}`, response.status)
}

interface TokenAnswer {
  access_token?: string
  refresh_token?: string
  expires_in?: number
  error?: string
  error_description?: string
}

function parsed(text: string): TokenAnswer {
  try {
    return JSON.parse(text) as TokenAnswer
  } catch {
    return {}
  }
}
