import { type ApiClient, type Credential, createApiClient } from './api-client.ts'
import { apiKeyOf, type ConnectionFlags, dataDirOf, givenUrlOf, serverUrlOf } from './connection-flags.ts'
import { CommandFailed } from './failure.ts'
import { localAdminCredential, readLocalAdmin } from './local-admin.ts'
import { loginCredential } from './login/login-credential.ts'
import { loginFileOf, readLogins } from './login/login-file.ts'
import type { Patience } from './retry.ts'
import { printLine, type Shell } from './shell.ts'

interface Connection {
  url: string
  credential: Credential
}

const PATIENCE_MS = 60_000
const TELLING_WAIT_MS = 2_000

/** A client for commands that a person waits for. `administers`: only an administrator may do it, so that no key helps. */
export async function connect(shell: Shell, flags: ConnectionFlags, administers: boolean): Promise<ApiClient> {
  return createApiClient({ ...(await connectionOf(shell, flags, administers)), patience: personsPatience(shell) })
}

function personsPatience({ stderr }: Shell): Patience {
  return {
    patienceMs: PATIENCE_MS,
    waitsForServer: false,
    onWait(fault, delayMs) {
      if (delayMs < TELLING_WAIT_MS) return
      printLine(stderr, `${fault.message} Trying again in ${Math.ceil(delayMs / 1000)} seconds …`)
    },
  }
}

async function connectionOf(shell: Shell, flags: ConnectionFlags, administers: boolean): Promise<Connection> {
  const apiKey = apiKeyOf(shell, flags)
  const person = await personalConnection(shell, flags)
  if (apiKey !== undefined && !(administers && person)) {
    return { url: await serverUrlOf(shell, flags), credential: keyCredential(apiKey) }
  }
  if (person) return person
  throw new CommandFailed(nobodyKnown(shell, flags))
}

/** Without a key: as the administrator on the server's own machine, or as whoever has signed in. */
async function personalConnection(shell: Shell, flags: ConnectionFlags): Promise<Connection | undefined> {
  const givenUrl = givenUrlOf(shell, flags)
  const local = await readLocalAdmin(dataDirOf(shell, flags))
  if (local && (givenUrl === undefined || isSameServer(givenUrl, local.url))) {
    return { url: local.url, credential: localAdminCredential(local) }
  }
  const file = loginFileOf(shell.env)
  const logins = await readLogins(file)
  const login = givenUrl === undefined ? logins.at(-1) : logins.find(({ url }) => url === givenUrl)
  return login && { url: login.url, credential: loginCredential(file, login) }
}

/** Where telemetry is sent to: only an API key may do that, not even an administrator. */
export async function senderOf(shell: Shell, flags: ConnectionFlags): Promise<{ url: string; apiKey: string }> {
  const apiKey = apiKeyOf(shell, flags)
  if (apiKey === undefined) {
    throw new CommandFailed(
      'An API key with the scope ingest is needed: set FAULTLINE_API_KEY (`faultline keys create` makes one)',
    )
  }
  return { url: await serverUrlOf(shell, flags), apiKey }
}

export function keyCredential(apiKey: string): Credential {
  return async () => ({ 'api-key': apiKey })
}

function isSameServer(url: string, other: string): boolean {
  return new URL(url).origin === new URL(other).origin
}

function nobodyKnown(shell: Shell, flags: ConnectionFlags): string {
  const givenUrl = givenUrlOf(shell, flags)
  if (givenUrl !== undefined) {
    return `${givenUrl} asks for a credential: set FAULTLINE_API_KEY, or sign in with \`faultline login\``
  }
  const dataDir = dataDirOf(shell, flags)
  return `No server has been started with the data folder ${dataDir}: set FAULTLINE_DATA_DIR to that of a server on this machine, or FAULTLINE_URL and FAULTLINE_API_KEY, or sign in with \`faultline login\``
}
