import { mkdir, readdir, rename, rmdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Session } from '../engine/session.ts'
import { gridFolders, hourFilePath, type Layout, parseHourFileName, syncFolder } from '../layout.ts'
import { HOUR_FILE_TABLES } from '../schema.ts'
import type { AttachableFile, Attaching } from './attachable-file.ts'
import { diskBytesOf, isDamage, moveAside, neverHeldAnything, removeFile } from './data-file.ts'
import { HourFile } from './hour-file.ts'
import { Turns } from './turns.ts'

const DETACHED_AT_ONCE = 8

interface HourFilesOptions {
  /** Each attached file costs memory for its catalogue; beyond so many, those used least recently are let go. */
  attachedFilesMax: number
  /** What an hour held can no longer be read. */
  lost: (gridId: string, hour: number) => void
  /** Another file has taken the place of one, with the same sums. */
  replaced: (file: HourFile, successor: HourFile) => void
  warn: (message: string) => void
}

/** The hour files of every Grid: which there are, and which of them are attached. */
export class HourFiles {
  private readonly session: Session
  private readonly layout: Layout
  private readonly options: HourFilesOptions
  readonly attaching: Attaching
  private readonly hoursByGrid = new Map<string, Map<number, HourFile>>()
  private readonly turns = new Turns()
  private readonly rewritten = new Set<string>()
  private serial = 0

  private constructor(session: Session, layout: Layout, options: HourFilesOptions) {
    this.session = session
    this.layout = layout
    this.options = options
    const { warn } = options
    const nextAlias = () => `hour_${++this.serial}`
    this.attaching = { session, attached: new Set(), nextAlias, damagedFolder: layout.damagedFolder, warn }
  }

  static async open(session: Session, layout: Layout, options: HourFilesOptions): Promise<HourFiles> {
    const files = new HourFiles(session, layout, options)
    for (const gridId of await gridFolders(layout)) await files.discover(gridId)
    return files
  }

  grids(): string[] {
    return [...this.hoursByGrid.keys()]
  }

  hours(gridId: string): number[] {
    return [...(this.hoursByGrid.get(gridId)?.keys() ?? [])]
  }

  all(): HourFile[] {
    return [...this.hoursByGrid.values()].flatMap((hours) => [...hours.values()])
  }

  ofGrid(gridId: string): HourFile[] {
    return [...(this.hoursByGrid.get(gridId)?.values() ?? [])]
  }

  find(gridId: string, hour: number): HourFile | undefined {
    return this.hoursByGrid.get(gridId)?.get(hour)
  }

  /** Keeps the file attached until the returned function is called; undefined where it is gone or turned out unreadable. */
  async use(file: HourFile): Promise<(() => void) | undefined> {
    if (file.gone) return undefined
    try {
      return await this.keepAttached(file)
    } catch (error) {
      if (file.gone) return undefined
      if (!isDamage(error as Error)) throw error
      await this.setAside(file, error as Error)
      return undefined
    }
  }

  /** As `use`, of any file: whoever asks looks after it where it turns out unreadable. */
  async keepAttached(file: AttachableFile): Promise<() => void> {
    file.lastUsed = ++this.serial
    const release = await file.use()
    await this.makeRoom().catch((error: Error) => this.options.warn(`a file could not be let go: ${error.message}`))
    return release
  }

  /** Keeps files attached while a task reads them: those of them that can be. One that cannot be read is set aside. */
  async reading<T>(wanted: HourFile[], task: (files: HourFile[]) => Promise<T>): Promise<T> {
    const releases: (() => void)[] = []
    const used: HourFile[] = []
    try {
      for (const file of wanted) {
        const release = await this.use(file)
        if (!release) continue
        releases.push(release)
        used.push(file)
      }
      return await task(used)
    } catch (error) {
      if (isDamage(error as Error)) await this.examine(used)
      throw error
    } finally {
      for (const release of releases) release()
    }
  }

  /** As `exclusively`, for what takes long: whoever can do something else meanwhile should ask `isBeingRewritten` first. */
  async rewriting<T>(gridId: string, hour: number, task: () => Promise<T>): Promise<T> {
    return await this.exclusively(gridId, hour, async () => {
      this.rewritten.add(`${gridId} ${hour}`)
      try {
        return await task()
      } finally {
        this.rewritten.delete(`${gridId} ${hour}`)
      }
    })
  }

  isBeingRewritten(gridId: string, hour: number): boolean {
    return this.rewritten.has(`${gridId} ${hour}`)
  }

  /** Sealing into an hour, rewriting it and removing it take turns. */
  async exclusively<T>(gridId: string, hour: number, task: () => Promise<T>): Promise<T> {
    return await this.turns.take(`${gridId} ${hour}`, task)
  }

  /**
   * Marking traces of an hour as shared must not come between the copying of the marks and the moment when the copy takes the
   * hour's place. Marking waits for no rewriting otherwise, which may take long.
   */
  async marking<T>(gridId: string, hour: number, task: () => Promise<T>): Promise<T> {
    return await this.turns.take(`marks of ${gridId} ${hour}`, task)
  }

  /** The file of an hour, made where there is none. To be called in the hour's turn. */
  async ensure(gridId: string, hour: number): Promise<HourFile> {
    const known = this.find(gridId, hour)
    if (known) return known
    const folder = join(this.layout.gridsFolder, gridId)
    if ((await mkdir(folder, { recursive: true })) !== undefined) await syncFolder(this.layout.gridsFolder)
    const file = this.describe(gridId, hour, 1)
    await this.placing(gridId, hour, () => file.create())
    await syncFolder(folder)
    this.hoursOf(gridId).set(hour, file)
    return file
  }

  /** Forgets the hour's file and deletes it as soon as no question reads it. To be called in the hour's turn. */
  async remove(gridId: string, hour: number): Promise<void> {
    const file = this.find(gridId, hour)
    if (!file) return
    this.forget(file)
    await this.deleteUnused(file)
    if (this.hours(gridId).length > 0) return
    this.hoursByGrid.delete(gridId)
    await rmdir(join(this.layout.gridsFolder, gridId)).catch(() => undefined)
  }

  /** Puts a rewritten file in the place of this one. Questions under way go on reading the old one, until it is deleted. */
  async replace(
    file: HourFile,
    rewrittenPath: string,
    { isStripped, sums }: { isStripped: boolean; sums: 'same' | 'changed' },
  ): Promise<void> {
    const successor = this.describe(file.gridId, file.hour, file.generation + 1, isStripped)
    successor.changedAtMs = file.changedAtMs
    await rename(rewrittenPath, successor.path)
    await syncFolder(dirname(file.path))
    file.gone = true
    this.hoursOf(file.gridId).set(file.hour, successor)
    if (sums === 'same') this.options.replaced(file, successor)
  }

  async deleteUnused(file: HourFile): Promise<void> {
    await file.unused()
    await file.detachNow()
    await removeFile(file.path)
  }

  /** Looks for files that cannot be read to their end, and sets them aside. Reads all of them: for when something is wrong. */
  async examine(files: HourFile[]): Promise<void> {
    for (const file of files) {
      const release = await this.use(file)
      if (!release) continue
      try {
        for (const table of Object.keys(HOUR_FILE_TABLES))
          await this.session.run(`SELECT bit_xor(hash(t)) FROM ${file.alias}.${table} t`)
      } catch (error) {
        if (isDamage(error as Error)) await this.setAside(file, error as Error)
      } finally {
        release()
      }
    }
  }

  async diskBytes(): Promise<number> {
    let sum = 0
    for (const file of this.all()) sum += await this.bytesOf(file)
    return sum
  }

  async bytesOf(file: HourFile): Promise<number> {
    file.diskBytes ??= await diskBytesOf(file.path).catch(() => 0)
    return file.diskBytes
  }

  /** A crash while an hour was being replaced leaves two generations of it, of which the newer one is whole. */
  private async discover(gridId: string): Promise<void> {
    const hours = this.hoursOf(gridId)
    for (const name of await readdir(join(this.layout.gridsFolder, gridId))) {
      const found = parseHourFileName(name)
      if (!found) continue
      const file = this.describe(gridId, found.hour, found.generation, found.isStripped)
      // What was sealed into a rewritten hour since then is little, and looked at when more is.
      file.mayBeScattered = found.generation === 1
      file.changedAtMs = (await stat(file.path)).mtimeMs
      const other = hours.get(found.hour)
      const [older, newer] = other && other.generation > file.generation ? [file, other] : [other, file]
      hours.set(found.hour, newer)
      if (older) await this.deleteUnused(older)
    }
  }

  private describe(gridId: string, hour: number, generation: number, isStripped = false): HourFile {
    const path = hourFilePath(this.layout, gridId, hour, generation, isStripped)
    return new HourFile(this.attaching, { gridId, hour, generation, path, isStripped })
  }

  private hoursOf(gridId: string): Map<number, HourFile> {
    const hours = this.hoursByGrid.get(gridId) ?? new Map<number, HourFile>()
    this.hoursByGrid.set(gridId, hours)
    return hours
  }

  private forget(file: HourFile): void {
    file.gone = true
    if (this.find(file.gridId, file.hour) === file) this.hoursByGrid.get(file.gridId)?.delete(file.hour)
  }

  private async makeRoom(): Promise<void> {
    const { attached } = this.attaching
    if (attached.size <= this.options.attachedFilesMax) return
    const unused = [...attached].filter((file) => file.users === 0).sort((a, b) => a.lastUsed - b.lastUsed)
    for (const file of unused.slice(0, DETACHED_AT_ONCE)) await file.detachUnused()
  }

  /** A damaged hour must not take the others with it. */
  private async setAside(file: HourFile, error: Error): Promise<void> {
    if (file.gone) return
    this.forget(file)
    this.options.lost(file.gridId, file.hour)
    await this.placing(file.gridId, file.hour, async () => {
      await file.detachNow()
      if (await neverHeldAnything(file.path)) return await removeFile(file.path)
      const kept = await moveAside(file.path, this.layout.damagedFolder, `${file.gridId}-${basename(file.path)}`)
      const reason = error.message.split('\n', 1)[0]
      this.options.warn(`an hour of telemetry cannot be read and was set aside as ${kept}: ${reason}`)
    })
  }

  /** A new file must not be made before the damaged one has left its place. */
  private async placing<T>(gridId: string, hour: number, task: () => Promise<T>): Promise<T> {
    return await this.turns.take(`place of ${gridId} ${hour}`, task)
  }
}
