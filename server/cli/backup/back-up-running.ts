import { isAbsolute, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Static } from 'typebox'
import type { BackupProgress } from '../../backup/backup-progress.ts'
import type { backup } from '../../http/schemas/backups.ts'
import type { ApiClient } from '../api-client.ts'
import { connect } from '../connect.ts'
import { type ConnectionFlags, dataDirOf, givenUrlOf } from '../connection-flags.ts'
import { CommandFailed, WrongUsage } from '../failure.ts'
import { readLocalAdmin } from '../local-admin.ts'
import { RequestFailed } from '../request-failed.ts'
import type { Shell } from '../shell.ts'

type BackupAnswer = Static<typeof backup>

const ASK_EVERY_MS = 500

/** Asks a running server for a backup, and waits for it. Undefined where none was named and none runs on the data folder. */
export async function backUpRunning(
  shell: Shell,
  flags: ConnectionFlags,
  folder: string,
  onProgress: (progress: BackupProgress) => void,
): Promise<BackupAnswer | undefined> {
  const isNamed = givenUrlOf(shell, flags) !== undefined
  if (isNamed && !isAbsolute(folder))
    throw new WrongUsage("The folder is on the server's machine, so that its path must be absolute.")
  if (!isNamed && !(await readLocalAdmin(dataDirOf(shell, flags)))) return undefined
  const client = await connect(shell, flags, true)
  const begun = await begin(client, resolve(folder)).catch((error: unknown): undefined => {
    if (isNamed || !isUnreachable(error)) throw error
  })
  return begun && (await ended(client, begun, onProgress))
}

async function begin(client: ApiClient, folder: string): Promise<BackupAnswer> {
  return await client.post<BackupAnswer>('/apm/backups', { folder })
}

async function ended(
  client: ApiClient,
  begun: BackupAnswer,
  onProgress: (progress: BackupProgress) => void,
): Promise<BackupAnswer> {
  let now = begun
  while (now.state === 'running') {
    await sleep(ASK_EVERY_MS)
    now = await client.get<BackupAnswer>(`/apm/backups/${begun.id}`)
    onProgress(now)
  }
  if (now.state === 'failed') throw new CommandFailed(`The backup failed: ${now.reason}`)
  return now
}

function isUnreachable(error: unknown): boolean {
  return error instanceof RequestFailed && error.kind === 'unreachable'
}
