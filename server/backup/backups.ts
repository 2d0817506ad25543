import { randomUUID } from 'node:crypto'
import { type BackupSource, backUp } from './back-up.ts'
import { type BackupFolder, openBackupFolder } from './backup-folder.ts'
import { type BackupProgress, noProgress } from './backup-progress.ts'
import { BackupRefused } from './backup-refused.ts'

const REMEMBERED_MAX = 100

export interface Backup extends BackupProgress {
  id: string
  folder: string
  state: 'running' | 'done' | 'failed'
  /** Why it failed. */
  reason: string | null
  startedAtMs: number
  finishedAtMs: number | null
}

/** Another backup is being made. */
export class BackupUnderWay extends Error {
  override readonly name = 'BackupUnderWay'
}

export interface Backups {
  /** Resolves once it has begun. Rejects with `BackupRefused`, and with `BackupUnderWay`: one is made at a time. */
  start(folder: string): Promise<Backup>
  find(id: string): Backup | undefined
  /** The one that is being made fails. */
  stop(): void
}

export interface BackupsOptions extends BackupSource {
  dataDir: string
  report: (error: unknown) => void
}

/** The backups that this process makes, each in the background. */
export function createBackups({ dataDir, report, ...source }: BackupsOptions): Backups {
  const backups = new Map<string, Backup>()
  const stopping = new AbortController()
  let isBusy = false

  async function run(backup: Backup, folder: BackupFolder): Promise<void> {
    try {
      await backUp(source, folder, backup, stopping.signal)
      backup.state = 'done'
    } catch (error) {
      backup.state = 'failed'
      backup.reason = (error as Error).message
      if (!(error instanceof BackupRefused || stopping.signal.aborted)) report(error)
    } finally {
      backup.finishedAtMs = source.clock()
      isBusy = false
    }
  }

  return {
    async start(path) {
      if (isBusy) throw new BackupUnderWay('Another backup is being made; one is made at a time.')
      isBusy = true
      try {
        const folder = await openBackupFolder(path, dataDir)
        const begun = { state: 'running', reason: null, startedAtMs: source.clock(), finishedAtMs: null } as const
        const backup: Backup = { id: randomUUID(), folder: path, ...begun, ...noProgress() }
        backups.set(backup.id, backup)
        const oldest = backups.size > REMEMBERED_MAX ? backups.keys().next().value : undefined
        if (oldest !== undefined) backups.delete(oldest)
        void run(backup, folder)
        return backup
      } catch (error) {
        isBusy = false
        throw error
      }
    },
    find: (id) => backups.get(id),
    stop: () => stopping.abort(new BackupRefused('The server was stopped.')),
  }
}
