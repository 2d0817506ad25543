import { open, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BackupRefused } from './backup-refused.ts'

/** Raised when a program of today could not restore what a later one has backed up. */
const FORMAT = 1
const MANIFEST = 'backup.json'

/** One file of a data folder and the copy of it. */
export interface BackedUpFile {
  /** Within the data folder. */
  name: string
  /** Within the backup's folder. No two contents have the same, so that a later backup leaves the copies of this one alone. */
  copy: string
  bytes: number
  sha256: string
  /** When the file itself had last changed. */
  changedAtMs: number
}

/** What a backup consists of. It is written last: without it there is no backup. */
export interface Manifest {
  /** All that was acknowledged before is in it. */
  startedAt: string
  finishedAt: string
  files: BackedUpFile[]
}

/** Undefined where there is none. */
export async function readManifest(folder: string): Promise<Manifest | undefined> {
  const path = join(folder, MANIFEST)
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
    throw new BackupRefused(`${path} cannot be read: ${error.message}`)
  })
  return text === undefined ? undefined : manifestOf(path, text)
}

export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const path = join(folder, MANIFEST)
  await writeFile(`${path}.new`, `${JSON.stringify({ format: FORMAT, ...manifest }, null, 1)}\n`, { flush: true })
  await rename(`${path}.new`, path)
  await syncFolder(folder)
}

/** A new name survives a power failure only once its folder's entry does. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  await handle.sync().finally(() => handle.close())
}

function manifestOf(path: string, text: string): Manifest {
  const value = parsed(text)
  if (typeof value !== 'object' || value === null) throw new BackupRefused(`${path} is damaged`)
  const { format, startedAt, finishedAt, files } = value as Record<string, unknown>
  if (typeof format === 'number' && format > FORMAT)
    throw new BackupRefused(`${path} says format ${format}, which only a newer version of Faultline restores`)
  const isWhole = typeof startedAt === 'string' && typeof finishedAt === 'string' && Array.isArray(files)
  if (format !== FORMAT || !isWhole || !files.every(isBackedUpFile)) throw new BackupRefused(`${path} is damaged`)
  return { startedAt, finishedAt, files }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isBackedUpFile(value: unknown): value is BackedUpFile {
  if (typeof value !== 'object' || value === null) return false
  const { name, copy, bytes, sha256, changedAtMs } = value as Record<string, unknown>
  const areNumbers = Number.isSafeInteger(bytes) && Number(bytes) >= 0 && typeof changedAtMs === 'number'
  return isInside(name) && isInside(copy) && areNumbers && typeof sha256 === 'string' && /^[0-9a-f]{64}$/.test(sha256)
}

/** A manifest may come from anywhere, and must not lead to other folders. */
function isInside(name: unknown): boolean {
  return typeof name === 'string' && name.split('/').every((part) => /^[\w.-]+$/.test(part) && !/^\.+$/.test(part))
}
