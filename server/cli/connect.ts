import { resolve } from 'node:path'
import { webAddress } from '../config/parsers.ts'
import { SETTINGS } from '../config/settings.ts'
import { type ApiClient, type Credential, createApiClient } from './api-client.ts'
import { CommandFailed, WrongUsage } from './failure.ts'
import { type LocalAdmin, localAdminCredential, readLocalAdmin } from './local-admin.ts'
import type { Patience } from './retry.ts'
import { printLine, type Shell } from './shell.ts'

/** Flags of every command that talks to a server; each has a variable of the same name. */
export interface ConnectionFlags {
  url?: string
  apiKey?: string
  dataDir?: string
}

export interface Connection {
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
  const givenUrl = givenUrlOf(shell, flags)
  const apiKey = apiKeyOf(shell, flags)
  const local = await readLocalAdmin(dataDirOf(shell, flags))
  const usableLocal = local && (givenUrl === undefined || isSameServer(givenUrl, local)) ? local : undefined
  if (apiKey !== undefined && !(administers && usableLocal)) {
    return { url: givenUrl ?? local?.url ?? defaultUrl(shell), credential: keyCredential(apiKey) }
  }
  if (usableLocal) return { url: usableLocal.url, credential: localAdminCredential(usableLocal) }
  throw new CommandFailed(nobodyKnown(shell, flags, givenUrl))
}

/** Where telemetry is sent to: only an API key may do that, not even an administrator. */
export async function senderOf(shell: Shell, flags: ConnectionFlags): Promise<{ url: string; apiKey: string }> {
  const apiKey = apiKeyOf(shell, flags)
  if (apiKey === undefined) {
    throw new CommandFailed(
      'An API key with the scope ingest is needed: set FAULTLINE_API_KEY (`faultline keys create` makes one)',
    )
  }
  const givenUrl = givenUrlOf(shell, flags)
  if (givenUrl !== undefined) return { url: givenUrl, apiKey }
  const local = await readLocalAdmin(dataDirOf(shell, flags))
  return { url: local?.url ?? defaultUrl(shell), apiKey }
}

export function keyCredential(apiKey: string): Credential {
  return async () => ({ 'api-key': apiKey })
}

function givenUrlOf({ env }: Shell, flags: ConnectionFlags): string | undefined {
  const given = flags.url || env['FAULTLINE_URL']?.trim() || undefined
  if (given === undefined) return undefined
  const url = webAddress.parse(given)
  if (url === undefined)
    throw new WrongUsage(`FAULTLINE_URL is ${JSON.stringify(given)}: it must be ${webAddress.accepts}`)
  return url
}

function apiKeyOf({ env }: Shell, flags: ConnectionFlags): string | undefined {
  const given = flags.apiKey || env[SETTINGS.apiKey.variable] || undefined
  if (given === undefined || SETTINGS.apiKey.parser.parse(given) !== undefined) return given
  throw new WrongUsage(`${SETTINGS.apiKey.variable} cannot be a key: one is ${SETTINGS.apiKey.parser.accepts}`)
}

function dataDirOf({ env }: Shell, flags: ConnectionFlags): string {
  return resolve(flags.dataDir || env[SETTINGS.dataDir.variable]?.trim() || SETTINGS.dataDir.default)
}

function defaultUrl({ env }: Shell): string {
  return `http://127.0.0.1:${env[SETTINGS.port.variable]?.trim() || SETTINGS.port.default}`
}

function isSameServer(url: string, local: LocalAdmin): boolean {
  return new URL(url).origin === new URL(local.url).origin
}

function nobodyKnown(shell: Shell, flags: ConnectionFlags, givenUrl: string | undefined): string {
  if (givenUrl !== undefined) return `${givenUrl} asks for a credential: set FAULTLINE_API_KEY`
  const dataDir = dataDirOf(shell, flags)
  return `No server has been started with the data folder ${dataDir}: set FAULTLINE_DATA_DIR to that of a server on this machine, or FAULTLINE_URL and FAULTLINE_API_KEY`
}
