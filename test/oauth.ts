import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as client from 'openid-client'
import { Browser } from '../server/identity/conformance/browser.ts'
import type { ServerProcess } from './server-process.ts'

type Server = Pick<ServerProcess, 'url'>

const INSECURE = { execute: [client.allowInsecureRequests] }

/** Client credentials, as any machine would use them. */
export async function clientToken({ url }: Server, clientId: string, secret: string): Promise<string> {
  const configuration = await client.discovery(new URL(`${url}/oauth`), clientId, secret, undefined, INSECURE)
  return (await client.clientCredentialsGrant(configuration)).access_token
}

/** What the command line on the server's own machine uses. */
export async function administratorToken(server: Server, dataDir: string): Promise<string> {
  const { clientId, clientSecret } = JSON.parse(await readFile(join(dataDir, 'admin.json'), 'utf8'))
  return await clientToken(server, clientId, clientSecret)
}

export function bearer(token: string) {
  return { headers: { 'api-key': undefined, authorization: `Bearer ${token}` } }
}

export interface Person {
  email: string
  password: string
}

export interface SignedIn {
  accessToken: string
  refreshToken: string
  /** Trades a refresh token for new ones. */
  refresh(refreshToken: string): Promise<{ accessToken: string; refreshToken: string }>
}

/** Authorization code with PKCE, through the form that a person would fill in. */
export async function signIn({ url }: Server, person: Person): Promise<SignedIn> {
  const redirectUri = `${url}/ui/callback`
  const configuration = await client.discovery(
    new URL(`${url}/oauth`),
    'faultline-ui',
    undefined,
    client.None(),
    INSECURE,
  )
  const verifier = client.randomPKCECodeVerifier()
  const state = client.randomState()
  const browser = new Browser()
  const start = client.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri,
    scope: 'openid email profile',
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
  })
  const form = await browser.visit(start, redirectUri)
  const { url: callback } = await browser.visit(form.url, redirectUri, { ...person })
  const checks = { pkceCodeVerifier: verifier, expectedState: state }
  const tokensOf = ({ access_token, refresh_token = '' }: client.TokenEndpointResponse) => ({
    accessToken: access_token,
    refreshToken: refresh_token,
  })
  return {
    ...tokensOf(await client.authorizationCodeGrant(configuration, callback, checks)),
    refresh: async (token) => tokensOf(await client.refreshTokenGrant(configuration, token)),
  }
}
