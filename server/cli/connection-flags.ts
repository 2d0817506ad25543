import { resolve } from 'node:path'
import { webAddress } from '../config/parsers.ts'
import { SETTINGS } from '../config/settings.ts'
import { WrongUsage } from './failure.ts'
import { readLocalAdmin } from './local-admin.ts'
import type { Shell } from './shell.ts'

/** Flags of every command that talks to a server; each has a variable of the same name. */
export interface ConnectionFlags {
  url?: string
  apiKey?: string
  dataDir?: string
}

export function givenUrlOf({ env }: Shell, flags: ConnectionFlags): string | undefined {
  const given = flags.url || env['FAULTLINE_URL']?.trim() || undefined
  if (given === undefined) return undefined
  const url = webAddress.parse(given)
  if (url !== undefined) return url
  throw new WrongUsage(`FAULTLINE_URL is ${JSON.stringify(given)}: it must be ${webAddress.accepts}`)
}

export function apiKeyOf({ env }: Shell, flags: ConnectionFlags): string | undefined {
  const given = flags.apiKey || env[SETTINGS.apiKey.variable] || undefined
  if (given === undefined || SETTINGS.apiKey.parser.parse(given) !== undefined) return given
  throw new WrongUsage(`${SETTINGS.apiKey.variable} cannot be a key: one is ${SETTINGS.apiKey.parser.accepts}`)
}

export function dataDirOf({ env }: Shell, flags: ConnectionFlags): string {
  return resolve(flags.dataDir || env[SETTINGS.dataDir.variable]?.trim() || SETTINGS.dataDir.default)
}

/** The server that was named, or else the one that runs on the data folder, or else the one at the usual address. */
export async function serverUrlOf(shell: Shell, flags: ConnectionFlags): Promise<string> {
  const givenUrl = givenUrlOf(shell, flags)
  if (givenUrl !== undefined) return givenUrl
  const local = await readLocalAdmin(dataDirOf(shell, flags))
  return local?.url ?? `http://127.0.0.1:${shell.env[SETTINGS.port.variable]?.trim() || SETTINGS.port.default}`
}
