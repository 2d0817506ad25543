import * as client from 'openid-client'
import { Browser } from './browser.ts'
import type { ServedAuthority } from './served-authority.ts'

export const ANN = { email: 'ann@example.com', name: 'Ann', password: 'correct horse', admin: false }

export interface SigningIn {
  clientId?: string
  redirectUri?: string
  browser?: Browser
  parameters?: Record<string, string>
}

export function discover(served: ServedAuthority, clientId: string, secret?: string): Promise<client.Configuration> {
  const options = { execute: [client.allowInsecureRequests] }
  return client.discovery(
    new URL(served.authority.issuer),
    clientId,
    secret,
    secret ? undefined : client.None(),
    options,
  )
}

/** Asks for a code as the web UI does, and stops at the first page or back at the application. */
export async function startSigningIn(served: ServedAuthority, options: SigningIn = {}) {
  const { clientId = 'faultline-ui', redirectUri = `${served.publicUrl}/ui/callback` } = options
  const browser = options.browser ?? new Browser()
  const configuration = await discover(served, clientId)
  const verifier = client.randomPKCECodeVerifier()
  const state = client.randomState()
  const url = client.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope: 'openid email profile',
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    ...options.parameters,
  })
  const first = await browser.visit(url, redirectUri)
  const exchange = (callback: URL) =>
    client.authorizationCodeGrant(configuration, callback, { pkceCodeVerifier: verifier, expectedState: state })
  const submit = (form: Record<string, string>) => browser.visit(first.url, redirectUri, form)
  return { browser, configuration, first, submit, exchange }
}

export async function signIn(served: ServedAuthority, options: SigningIn = {}) {
  const started = await startSigningIn(served, options)
  const { url } = await started.submit({ email: ANN.email, password: ANN.password })
  return { ...started, callback: url, tokens: await started.exchange(url) }
}
