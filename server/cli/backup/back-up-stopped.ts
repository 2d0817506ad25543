import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type BackupSource, backUp } from '../../backup/back-up.ts'
import { openBackupFolder } from '../../backup/backup-folder.ts'
import { type BackupProgress, noProgress } from '../../backup/backup-progress.ts'
import { BackupRefused } from '../../backup/backup-refused.ts'
import { type Environment, readConfig } from '../../config/config.ts'
import { openSqliteControlStore } from '../../control/sqlite/open-control-store.ts'
import { StoreUnusable } from '../../domain/store-errors.ts'
import { minFreeBytes, storeOptions } from '../../start/store-options.ts'
import { openDuckDbStore } from '../../storage/duckdb/open-duckdb-store.ts'
import { CommandFailed } from '../failure.ts'

const TELLING_EVERY_MS = 500

/** Backs up a data folder that no server runs on, by opening it as a server would. */
export async function backUpStopped(
  env: Environment,
  dataDir: string,
  path: string,
  onProgress: (progress: BackupProgress) => void,
): Promise<BackupProgress & { folder: string }> {
  const control = join(dataDir, 'control.sqlite')
  if (!(await stat(control).catch(() => undefined)))
    throw new CommandFailed(`There is no data in ${dataDir}: set FAULTLINE_DATA_DIR, or --data-dir, to a data folder`)
  const progress = noProgress()
  const telling = setInterval(() => onProgress(progress), TELLING_EVERY_MS)
  try {
    const folder = await openBackupFolder(path, dataDir)
    await withStores(env, dataDir, (source) => backUp(source, folder, progress, new AbortController().signal))
    return { folder: path, ...progress }
  } catch (error) {
    if (error instanceof BackupRefused || error instanceof StoreUnusable)
      throw new CommandFailed(error.message, { cause: error })
    throw error
  } finally {
    clearInterval(telling)
  }
}

async function withStores(env: Environment, dataDir: string, task: (source: BackupSource) => Promise<void>) {
  const config = readConfig(env, { dataDir })
  const options = { ...(await storeOptions(config)), minFreeDiskBytes: 0, warn: () => undefined }
  const telemetry = await openDuckDbStore(options)
  try {
    const control = await openSqliteControlStore(join(dataDir, 'control.sqlite'))
    try {
      await task({ telemetry, control, keptFreeBytes: (folder) => minFreeBytes(config, folder), clock: Date.now })
    } finally {
      await control.close()
    }
  } finally {
    await telemetry.close()
  }
}
