import { constants } from 'node:fs'
import { copyFile, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { wasBegun } from './backup-folder.ts'
import { BackupRefused } from './backup-refused.ts'
import { sha256Of } from './copies.ts'
import { type BackedUpFile, type Manifest, readManifest, syncFolder } from './manifest.ts'

const STAGE = 'restoring'
const DATA = ['telemetry', 'control.sqlite']

export interface RestoreProgress {
  files: number
  bytes: number
  bytesCopied: number
}

/**
 * Puts a backup into a data folder that holds no data. Every file is compared with what the backup says of it before the
 * first of them is in its place. Resolves to what was restored.
 */
export async function restoreBackup(
  folder: string,
  dataDir: string,
  onProgress: (progress: RestoreProgress) => void,
): Promise<Manifest> {
  const manifest = await readWhole(folder)
  await refuseData(dataDir)
  const stage = join(dataDir, STAGE)
  await rm(stage, { recursive: true, force: true })
  await mkdir(stage, { recursive: true, mode: 0o700 })
  try {
    const bytes = manifest.files.reduce((sum, file) => sum + file.bytes, 0)
    let bytesCopied = 0
    for (const file of manifest.files) {
      await restoreFile(folder, stage, file)
      bytesCopied += file.bytes
      onProgress({ files: manifest.files.length, bytes, bytesCopied })
    }
    await moveInto(dataDir, stage)
  } finally {
    await rm(stage, { recursive: true, force: true })
  }
  return manifest
}

/** Looks at the size of each file, which is quick, before any is copied. */
async function readWhole(folder: string): Promise<Manifest> {
  const manifest = await readManifest(folder)
  if (!manifest) {
    const reason = (await wasBegun(folder)) ? 'the backup in it was never finished' : 'there is no backup in it'
    throw new BackupRefused(`${folder} cannot be restored: ${reason}`)
  }
  for (const { copy, bytes } of manifest.files) {
    const found = await stat(join(folder, copy)).catch(() => undefined)
    if (!found) throw new BackupRefused(`${folder} cannot be restored: ${copy} is missing`)
    if (found.size !== bytes)
      throw new BackupRefused(`${folder} cannot be restored: ${copy} has ${found.size} bytes instead of ${bytes}`)
  }
  return manifest
}

async function refuseData(dataDir: string): Promise<void> {
  const found = await readdir(dataDir).catch((error: NodeJS.ErrnoException): string[] => {
    if (error.code === 'ENOENT') return []
    throw new BackupRefused(`The data folder ${dataDir} cannot be used: ${error.message}`)
  })
  const data = DATA.find((name) => found.includes(name))
  if (data === undefined) return
  throw new BackupRefused(`The data folder ${dataDir} holds data already (${data}): name another one, or move it away`)
}

async function restoreFile(folder: string, stage: string, { name, copy, sha256 }: BackedUpFile): Promise<void> {
  const target = join(stage, name)
  await mkdir(dirname(target), { recursive: true })
  await copyFile(join(folder, copy), target, constants.COPYFILE_FICLONE)
  const handle = await open(target, 'r+')
  await handle.sync().finally(() => handle.close())
  if ((await sha256Of(target)) !== sha256)
    throw new BackupRefused(`${folder} cannot be restored: ${copy} is damaged, its content is not what was backed up`)
  await syncFolder(dirname(target))
}

/** Control data comes last: a server does not begin anew where it is. */
async function moveInto(dataDir: string, stage: string): Promise<void> {
  for (const name of (await readdir(stage)).sort().reverse()) await rename(join(stage, name), join(dataDir, name))
  await syncFolder(dataDir)
}
