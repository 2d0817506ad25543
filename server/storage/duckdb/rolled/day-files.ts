import { mkdir, readdir, rename, rmdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Session } from '../engine/session.ts'
import { diskBytesOf, isDamage, moveAside, neverHeldAnything, removeFile } from '../files/data-file.ts'
import type { HourFiles } from '../files/hour-files.ts'
import { Turns } from '../files/turns.ts'
import { dayFileName, gridFolders, type Layout, parseDayFileName, syncFolder } from '../layout.ts'
import { DAY_FILE_TABLES, DayFile, type DayKind } from './day-file.ts'

interface DayFilesOptions {
  warn: (message: string) => void
}

interface DayName {
  gridId: string
  kind: DayKind
  day: number
}

/** The files that days are rolled up into, one for each kind: which there are, and which hours each of them has. */
export class DayFiles {
  private readonly session: Session
  private readonly hourFiles: HourFiles
  private readonly layout: Layout
  private readonly options: DayFilesOptions
  private readonly daysByGrid = new Map<string, Map<string, DayFile>>()
  private readonly turns = new Turns()

  private constructor(session: Session, hourFiles: HourFiles, layout: Layout, options: DayFilesOptions) {
    this.session = session
    this.hourFiles = hourFiles
    this.layout = layout
    this.options = options
  }

  static async open(
    session: Session,
    hourFiles: HourFiles,
    layout: Layout,
    options: DayFilesOptions,
  ): Promise<DayFiles> {
    const files = new DayFiles(session, hourFiles, layout, options)
    for (const gridId of await gridFolders(layout)) await files.discover(gridId)
    return files
  }

  ofGrid(gridId: string): DayFile[] {
    return [...this.daysOf(gridId).values()]
  }

  find(gridId: string, kind: DayKind, day: number): DayFile | undefined {
    return this.daysOf(gridId).get(keyOf(kind, day))
  }

  ofKind(gridId: string, kind: DayKind): DayFile[] {
    return this.ofGrid(gridId).filter((file) => file.kind === kind)
  }

  all(): DayFile[] {
    return [...this.daysByGrid.values()].flatMap((days) => [...days.values()])
  }

  /** Keeps the file attached until the returned function is called; undefined where it is gone or turned out unreadable. */
  async use(file: DayFile): Promise<(() => void) | undefined> {
    if (file.gone) return undefined
    try {
      return await this.hourFiles.keepAttached(file)
    } catch (error) {
      if (!isDamage(error as Error)) throw error
      await this.inTurn(file, () => this.setAside(file, error as Error))
      return undefined
    }
  }

  /** Looks for files that cannot be read to their end, and sets them aside. */
  async examine(files: DayFile[]): Promise<void> {
    for (const file of files) {
      const release = await this.use(file)
      if (!release) continue
      const failure = await this.readThrough(file).then(
        () => undefined,
        (error: Error) => error,
      )
      // Before it is set aside: who removes it has its turn and waits for this.
      release()
      if (failure && isDamage(failure)) await this.inTurn(file, () => this.setAside(file, failure))
    }
  }

  async diskBytes(files = this.all()): Promise<number> {
    let sum = 0
    for (const file of files) {
      file.diskBytes ??= await diskBytesOf(file.path).catch(() => 0)
      sum += file.diskBytes
    }
    return sum
  }

  /** Puts what `write` makes of it in the place of a file. Questions under way go on reading the old one, until it is deleted. */
  async replace(file: DayFile, write: () => Promise<string>): Promise<void> {
    await this.inTurn(file, async () => {
      const release = file.gone ? undefined : await this.hourFiles.keepAttached(file)
      if (!release) return
      try {
        const path = await write()
        const successor = this.describe(file.gridId, file.kind, file.day, file.generation + 1)
        await rename(path, successor.path)
        await syncFolder(dirname(file.path))
        successor.hours = file.hours
        file.gone = true
        this.daysOf(file.gridId).set(keyOf(file.kind, file.day), successor)
      } finally {
        release()
      }
    })
    // Out of turn, because it waits for the questions that read it.
    if (file.gone) await this.deleteUnused(file)
  }

  private async deleteUnused(file: DayFile): Promise<void> {
    await file.unused()
    await file.detachNow()
    await removeFile(file.path)
  }

  /** A crash while a day was being replaced leaves two generations of it, of which the newer one is whole. */
  private async discover(gridId: string): Promise<void> {
    const days = this.daysOf(gridId)
    for (const name of await readdir(join(this.layout.gridsFolder, gridId))) {
      const found = parseDayFileName(name)
      if (!found) continue
      const file = this.describe(gridId, found.kind, found.day, found.generation)
      const key = keyOf(found.kind, found.day)
      const other = days.get(key)
      const [older, newer] = other && other.generation > file.generation ? [file, other] : [other, file]
      days.set(key, newer)
      if (older) await this.deleteUnused(older)
    }
  }

  private async readThrough(file: DayFile): Promise<void> {
    for (const table of Object.keys(DAY_FILE_TABLES[file.kind]))
      await this.session.run(`SELECT bit_xor(hash(t)) FROM ${file.alias}.${table} t`)
  }

  /** Changes a day's file, in its turn; it is made where there is none. After a failure its list is doubtful, and read again. */
  async changing({ gridId, kind, day }: DayName, change: (file: DayFile) => Promise<void>): Promise<void> {
    await this.inTurn({ gridId, kind, day }, async () => {
      const file = await this.ensure(gridId, kind, day)
      try {
        const release = await this.hourFiles.keepAttached(file)
        await change(file).finally(release)
      } catch (error) {
        file.hours = undefined
        if (isDamage(error as Error)) await this.setAside(file, error as Error)
        throw error
      }
    })
  }

  /** The hours on a day's list. It is read once; from then on this process is the only one that changes it. */
  async hoursOf(file: DayFile): Promise<Set<number>> {
    if (file.hours) return file.hours
    const release = await this.use(file)
    if (!release) return new Set()
    try {
      return await this.inTurn(file, async () => {
        if (file.hours) return file.hours
        const rows = await this.session.rows(`SELECT hour FROM ${file.alias}.rolled`)
        file.hours = new Set(rows.map((row) => row['hour'] as number))
        return file.hours
      })
    } finally {
      release()
    }
  }

  private async ensure(gridId: string, kind: DayKind, day: number): Promise<DayFile> {
    const known = this.find(gridId, kind, day)
    if (known) return known
    const folder = join(this.layout.gridsFolder, gridId)
    await mkdir(folder, { recursive: true })
    const file = this.describe(gridId, kind, day, 1)
    await file.create()
    await syncFolder(folder)
    file.hours = new Set()
    this.daysOf(gridId).set(keyOf(kind, day), file)
    return file
  }

  /** Deletes it as soon as no question reads it. With `mayGo`, only where that holds for all hours on its list by then. */
  async remove(file: DayFile, mayGo?: (hour: number) => boolean): Promise<void> {
    await this.inTurn(file, async () => {
      if (mayGo && !(file.hours && [...file.hours].every(mayGo))) return
      this.forget(file)
      await this.deleteUnused(file)
    })
    if (this.daysOf(file.gridId).size > 0) return
    this.daysByGrid.delete(file.gridId)
    await rmdir(join(this.layout.gridsFolder, file.gridId)).catch(() => undefined)
  }

  /** A damaged day is made anew from its hours. */
  private async setAside(file: DayFile, error: Error): Promise<void> {
    if (file.gone) return
    this.forget(file)
    await file.detachNow()
    if (await neverHeldAnything(file.path)) return await removeFile(file.path)
    const kept = await moveAside(file.path, this.layout.damagedFolder, `${file.gridId}-${basename(file.path)}`)
    const reason = error.message.split('\n', 1)[0]
    this.options.warn(`a day of rolled up ${file.kind} cannot be read and was set aside as ${kept}: ${reason}`)
  }

  private forget(file: DayFile): void {
    file.gone = true
    const days = this.daysOf(file.gridId)
    const key = keyOf(file.kind, file.day)
    if (days.get(key) === file) days.delete(key)
  }

  private describe(gridId: string, kind: DayKind, day: number, generation: number): DayFile {
    const path = join(this.layout.gridsFolder, gridId, dayFileName(kind, day, generation))
    return new DayFile(this.hourFiles.attaching, { gridId, kind, day, generation, path })
  }

  /** By kind and day. */
  private daysOf(gridId: string): Map<string, DayFile> {
    const days = this.daysByGrid.get(gridId) ?? new Map<string, DayFile>()
    this.daysByGrid.set(gridId, days)
    return days
  }

  private async inTurn<T>({ gridId, kind, day }: DayName, task: () => Promise<T>): Promise<T> {
    return await this.turns.take(`${gridId} ${keyOf(kind, day)}`, task)
  }
}

function keyOf(kind: DayKind, day: number): string {
  return `${kind} ${day}`
}
