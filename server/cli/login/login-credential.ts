import { CLI_CLIENT_ID } from '../../identity/authority/first-party-clients.ts'
import type { Credential } from '../api-client.ts'
import { CommandFailed } from '../failure.ts'
import { isFresh, requestTokens } from '../oauth-tokens.ts'
import { RequestFailed } from '../request-failed.ts'
import { changeLogins, type Login } from './login-file.ts'

/** Renews the login when it has to, for all commands that come later as well. */
export function loginCredential(file: string, login: Login): Credential {
  let current = login
  return async () => {
    if (!isFresh(current, Date.now())) current = await renewed(file, current.url)
    return { authorization: `Bearer ${current.accessToken}` }
  }
}

/** Another process may have renewed it meanwhile. */
async function renewed(file: string, url: string): Promise<Login> {
  let result: Login | undefined
  await changeLogins(file, async (logins) => {
    const login = logins.find((one) => one.url === url)
    if (login === undefined) throw signInAgain(url)
    result = isFresh(login, Date.now()) ? login : await refreshed(login)
    return logins.map((one) => (one === login && result ? result : one))
  })
  if (result === undefined) throw signInAgain(url)
  return result
}

async function refreshed(login: Login): Promise<Login> {
  if (login.refreshToken === undefined) throw signInAgain(login.url)
  const form = { grant_type: 'refresh_token', refresh_token: login.refreshToken, client_id: CLI_CLIENT_ID }
  const tokens = await requestTokens(login.tokenUrl, form).catch((error: unknown) => {
    throw error instanceof RequestFailed && error.kind === 'refused' ? signInAgain(login.url) : error
  })
  return { ...login, ...tokens, refreshToken: tokens.refreshToken ?? login.refreshToken }
}

function signInAgain(url: string): CommandFailed {
  return new CommandFailed(`The login to ${url} has ended: \`faultline login --url ${url}\` begins another`)
}
