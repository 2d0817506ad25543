import { BackupRefused } from '../../backup/backup-refused.ts'
import type { Manifest } from '../../backup/manifest.ts'
import { type RestoreProgress, restoreBackup } from '../../backup/restore.ts'
import { CommandFailed } from '../failure.ts'

export async function restore(
  folder: string,
  dataDir: string,
  onProgress: (progress: RestoreProgress) => void,
): Promise<Manifest> {
  return await restoreBackup(folder, dataDir, onProgress).catch((error: unknown) => {
    if (error instanceof BackupRefused) throw new CommandFailed(error.message, { cause: error })
    throw error
  })
}
