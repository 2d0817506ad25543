import { mkdir, readdir, realpath, rm, rmdir, statfs, writeFile } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path'
import { BackupRefused } from './backup-refused.ts'
import { type Manifest, readManifest, writeManifest } from './manifest.ts'

/** Says of a folder without a manifest that a backup was begun in it. */
const BEGUN = 'unfinished-backup'
const COPIES = 'files'
const BYTES_PER_MIB = 1_048_576

/** A folder that backups are made in, one after another: each leaves the one before whole until it is finished itself. */
export interface BackupFolder {
  path: string
  earlier: Manifest | undefined
}

/** Makes the folder where there is none, and refuses one that holds anything but backups. */
export async function openBackupFolder(path: string, dataDir: string): Promise<BackupFolder> {
  if (!isAbsolute(path)) throw new BackupRefused(`${path} is no absolute path`)
  await refuseInside(path, dataDir)
  try {
    await mkdir(path, { recursive: true, mode: 0o700 })
    const earlier = await readManifest(path)
    const found = await readdir(path)
    if (!earlier && found.length > 0 && !found.includes(BEGUN))
      throw new BackupRefused(
        `${path} holds something that is no backup: name an empty folder, or one that is not there`,
      )
    if (!earlier) await writeFile(join(path, BEGUN), '')
    await mkdir(join(path, COPIES), { recursive: true, mode: 0o700 })
    return { path, earlier }
  } catch (error) {
    if (error instanceof BackupRefused) throw error
    throw new BackupRefused(`${path} cannot be used: ${(error as Error).message}`)
  }
}

/** Of a folder without a manifest. */
export async function wasBegun(path: string): Promise<boolean> {
  return await readdir(path).then(
    (found) => found.includes(BEGUN),
    () => false,
  )
}

/** Where a copy is until it is known what it is. What a backup that did not end leaves there, the next one removes. */
export function newCopyPath({ path }: BackupFolder, serial: number): string {
  return join(path, COPIES, `${serial}.new`)
}

export function copyName(name: string, sha256: string): string {
  return `${COPIES}/${name}.${sha256.slice(0, 16)}`
}

/** Makes the backup the one that is restored from this folder, and removes what belongs to earlier ones alone. */
export async function finishBackup({ path }: BackupFolder, manifest: Manifest): Promise<void> {
  await writeManifest(path, manifest)
  await rm(join(path, BEGUN), { force: true })
  await removeOthers(join(path, COPIES), new Set(manifest.files.map(({ copy }) => join(path, copy))))
}

/** Refuses to begin what would fill the disk. */
export async function ensureRoom(folder: BackupFolder, bytes: number, keptFreeBytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder.path)
  if (bavail * bsize - bytes >= keptFreeBytes) return
  const [needed, free, kept] = [bytes, bavail * bsize, keptFreeBytes].map((size) => Math.ceil(size / BYTES_PER_MIB))
  throw new BackupRefused(
    `${folder.path} has no room: ${needed} MiB are to be copied, ${free} MiB are free, and ${kept} MiB are kept free`,
  )
}

/** Links are followed as far as the folders are there. */
async function refuseInside(path: string, dataDir: string): Promise<void> {
  const within = relative(await resolved(dataDir), await resolved(path))
  const isInside = within === '' || !(within === '..' || within.startsWith(`..${sep}`) || isAbsolute(within))
  if (isInside) throw new BackupRefused(`${path} is in the data folder: name a folder outside it`)
}

async function resolved(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(await resolved(parent), basename(path))
  }
}

async function removeOthers(folder: string, wanted: Set<string>): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      await removeOthers(path, wanted)
      // Stays where it is not empty.
      await rmdir(path).catch(() => undefined)
    } else if (!wanted.has(path)) await rm(path, { force: true })
  }
}
