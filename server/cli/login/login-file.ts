import { mkdir, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Environment } from '../../config/config.ts'
import { CommandFailed, messageOf } from '../failure.ts'
import type { Tokens } from '../oauth-tokens.ts'

/** Someone who has signed in to a server in a browser. */
export interface Login extends Tokens {
  url: string
  tokenUrl: string
}

const LOCK_TRIES = 100
const LOCK_WAIT_MS = 100
const LOCK_STALE_MS = 30_000

export function loginFileOf(env: Environment): string {
  const home = env['HOME'] || homedir()
  return join(env['XDG_CONFIG_HOME'] || join(home, '.config'), 'faultline', 'logins.json')
}

/** The newest one last. */
export async function readLogins(file: string): Promise<Login[]> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Login[]
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw new CommandFailed(`${file} cannot be read: ${messageOf(error)}`)
  }
}

/** Readable by nobody else, and never half written. */
async function writeLogins(file: string, logins: Login[]): Promise<void> {
  const next = `${file}.${process.pid}.new`
  await writeFile(next, `${JSON.stringify(logins, null, 2)}\n`, { mode: 0o600 })
  await rename(next, file)
}

/** Changes the logins while no other process does: a refresh token that is used twice ends the login. */
export async function changeLogins(file: string, change: (logins: Login[]) => Promise<Login[]>): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const lock = `${file}.lock`
  await takeLock(lock)
  try {
    await writeLogins(file, await change(await readLogins(file)))
  } finally {
    await rm(lock, { force: true })
  }
}

async function takeLock(lock: string): Promise<void> {
  for (let tries = 0; tries < LOCK_TRIES; tries++) {
    const handle = await open(lock, 'wx').catch(() => undefined)
    if (handle) return handle.close()
    const age = await stat(lock).then(
      ({ mtimeMs }) => Date.now() - mtimeMs,
      () => 0,
    )
    if (age > LOCK_STALE_MS) await rm(lock, { force: true })
    await sleep(LOCK_WAIT_MS)
  }
  throw new CommandFailed(`${lock} is held by another process; remove it if there is none`)
}
