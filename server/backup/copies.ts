import { createHash } from 'node:crypto'
import { constants, createReadStream } from 'node:fs'
import { copyFile, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { StoredFile } from '../storage/telemetry-store.ts'
import { type BackupFolder, copyName, newCopyPath } from './backup-folder.ts'
import type { BackupProgress } from './backup-progress.ts'
import { type BackedUpFile, syncFolder } from './manifest.ts'

/** A copy that nobody has looked at yet. */
interface Taken {
  file: StoredFile
  path: string
}

/** The copies that a backup will consist of: those of an earlier one that are still right, and new ones. */
export class Copies {
  private readonly folder: BackupFolder
  private readonly progress: BackupProgress
  private readonly byName: Map<string, BackedUpFile>
  private readonly copied = new Set<string>()
  private serial = 0

  constructor(folder: BackupFolder, progress: BackupProgress) {
    this.folder = folder
    this.progress = progress
    this.byName = new Map(folder.earlier?.files.map((file) => [file.name, file]))
  }

  /** Those of these files that no copy is right for. */
  async missing(files: StoredFile[]): Promise<StoredFile[]> {
    const missing: StoredFile[] = []
    for (const file of files) if (!(await this.has(file))) missing.push(file)
    return missing
  }

  newPath(): string {
    return newCopyPath(this.folder, ++this.serial)
  }

  /** Copies a file. Undefined where it has changed or gone meanwhile. */
  async take(file: StoredFile): Promise<Taken | undefined> {
    const path = this.newPath()
    try {
      await rm(path, { force: true })
      await copyFile(file.path, path, constants.COPYFILE_FICLONE)
      const { size, mtimeMs } = await stat(file.path)
      if (size === file.bytes && mtimeMs === file.changedAtMs) return { file, path }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
    await rm(path, { force: true })
    return undefined
  }

  /** Brings a copy to the disk and to its name, and reads it again to know what it is. */
  async keep({ file: { name, bytes, changedAtMs }, path }: Taken): Promise<void> {
    await flush(path)
    const sha256 = await sha256Of(path)
    const copy = copyName(name, sha256)
    const target = join(this.folder.path, copy)
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    await rename(path, target)
    await syncFolder(dirname(target))
    this.byName.set(name, { name, copy, bytes, sha256, changedAtMs })
    this.copied.add(name)
    this.progress.filesCopied++
    this.progress.bytesCopied += bytes
  }

  /** The copies of these files, which there are. */
  of(files: StoredFile[]): BackedUpFile[] {
    return files.map(({ name }) => {
      const copy = this.byName.get(name)
      if (!copy) throw new Error(`${name} was not copied`)
      if (!this.copied.has(name)) this.progress.bytesKept += copy.bytes
      return copy
    })
  }

  private async has({ name, bytes, changedAtMs }: StoredFile): Promise<boolean> {
    const known = this.byName.get(name)
    if (known?.bytes !== bytes || known.changedAtMs !== changedAtMs) return false
    const found = await stat(join(this.folder.path, known.copy)).catch(() => undefined)
    return found?.size === bytes
  }
}

async function flush(path: string): Promise<void> {
  const handle = await open(path, 'r+')
  await handle.sync().finally(() => handle.close())
}

export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path, { highWaterMark: 1_048_576 })) hash.update(chunk)
  return hash.digest('hex')
}
