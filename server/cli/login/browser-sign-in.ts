import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CLI_CLIENT_ID } from '../../identity/authority/first-party-clients.ts'
import { send, textOf } from '../api-client.ts'
import { CommandFailed } from '../failure.ts'
import { requestTokens } from '../oauth-tokens.ts'
import type { Login } from './login-file.ts'

const PATIENCE_MS = 10 * 60_000

interface Endpoints {
  authorization: string
  token: string
}

/** By authorization code with PKCE: the person signs in on a page of the server, which sends the browser back here. */
export async function signInWithBrowser(url: string, tell: (address: string) => void): Promise<Login> {
  const endpoints = await discover(url)
  const verifier = randomBytes(32).toString('base64url')
  const state = randomBytes(16).toString('base64url')
  const callback = await openCallback(state)
  try {
    const address = new URL(endpoints.authorization)
    address.search = new URLSearchParams({
      response_type: 'code',
      client_id: CLI_CLIENT_ID,
      redirect_uri: callback.redirectUri,
      scope: 'openid',
      state,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    }).toString()
    tell(address.href)
    const tokens = await requestTokens(endpoints.token, {
      grant_type: 'authorization_code',
      client_id: CLI_CLIENT_ID,
      redirect_uri: callback.redirectUri,
      code: await callback.code,
      code_verifier: verifier,
    })
    return { ...tokens, url, tokenUrl: endpoints.token }
  } finally {
    callback.close()
  }
}

async function discover(url: string): Promise<Endpoints> {
  const response = await send(`${url}/oauth/.well-known/openid-configuration`, {})
  const text = await textOf(response)
  try {
    const found = JSON.parse(text) as { authorization_endpoint: string; token_endpoint: string }
    return { authorization: new URL(found.authorization_endpoint).href, token: new URL(found.token_endpoint).href }
  } catch {
    throw new CommandFailed(`${url} lets nobody sign in: use an API key`)
  }
}

interface Callback {
  redirectUri: string
  code: Promise<string>
  close(): void
}

async function openCallback(state: string): Promise<Callback> {
  let settle: (code: string | CommandFailed) => void = () => undefined
  const code = new Promise<string>((resolve, reject) => {
    settle = (outcome) => (typeof outcome === 'string' ? resolve(outcome) : reject(outcome))
  })
  code.catch(() => undefined)
  const server = createServer((request, response) => {
    const outcome = outcomeOf(request, response, state)
    if (outcome !== undefined) settle(outcome)
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
  const timer = setTimeout(() => settle(new CommandFailed('Nobody has signed in.')), PATIENCE_MS)
  return {
    redirectUri: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`,
    code,
    close() {
      clearTimeout(timer)
      server.close()
      server.closeIdleConnections()
    },
  }
}

/** Undefined for a request that is not the one we wait for, whoever sent it. */
function outcomeOf(
  request: IncomingMessage,
  response: ServerResponse,
  state: string,
): string | CommandFailed | undefined {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1')
  const isOurs = pathname === '/callback' && searchParams.get('state') === state
  const code = searchParams.get('code')
  const text = !isOurs
    ? 'There is nothing here.'
    : code
      ? 'You are signed in. This page may be closed.'
      : 'That did not work.'
  response.writeHead(isOurs ? 200 : 404, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' }).end(text)
  if (!isOurs) return undefined
  return (
    code ??
    new CommandFailed(`Nobody was signed in: ${searchParams.get('error_description') ?? searchParams.get('error')}`)
  )
}
