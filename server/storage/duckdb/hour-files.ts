import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Session } from './database.ts'
import { hourFilePath, type Layout, parseHourFileName, syncFolder } from './layout.ts'
import { createTables, HOUR_FILE_TABLES } from './schema.ts'

/** Each attached file costs memory for its catalogue; those used least recently are let go. */
const ATTACHED_MAX = 96

export interface HourFile {
  readonly gridId: string
  readonly hour: number
  readonly generation: number
  readonly path: string
  /** The name under which statements know it while it is attached. */
  alias: string
  attached: Promise<void> | undefined
  readers: number
  lastUsed: number
  /** False once it was seen to be in one order, until something is sealed into it. */
  mayBeScattered: boolean
}

/** The hour files of every Grid: which there are, and which of them are attached. */
export class HourFiles {
  private readonly session: Session
  private readonly layout: Layout
  private readonly warn: (message: string) => void
  private readonly grids = new Map<string, Map<number, HourFile>>()
  private readonly turns = new Map<string, Promise<void>>()
  private serial = 0

  private constructor(session: Session, layout: Layout, warn: (message: string) => void) {
    this.session = session
    this.layout = layout
    this.warn = warn
  }

  static async open(session: Session, layout: Layout, warn: (message: string) => void): Promise<HourFiles> {
    const files = new HourFiles(session, layout, warn)
    for (const gridId of await readdir(layout.gridsFolder)) await files.discover(gridId)
    return files
  }

  hours(gridId: string): number[] {
    return [...(this.grids.get(gridId)?.keys() ?? [])]
  }

  all(): HourFile[] {
    return [...this.grids.values()].flatMap((hours) => [...hours.values()])
  }

  find(gridId: string, hour: number): HourFile | undefined {
    return this.grids.get(gridId)?.get(hour)
  }

  /** Keeps the file attached until the returned function is called; undefined where it turned out to be unreadable. */
  async use(file: HourFile): Promise<(() => void) | undefined> {
    file.readers++
    file.lastUsed = ++this.serial
    const release = () => {
      file.readers--
    }
    try {
      file.attached ??= this.attach(file)
      await file.attached
      return release
    } catch (error) {
      release()
      file.attached = undefined
      await this.setAside(file, error as Error)
      return undefined
    }
  }

  /** Sealing into an hour, rewriting it and removing it take turns. */
  async exclusively<T>(gridId: string, hour: number, task: () => Promise<T>): Promise<T> {
    const key = `${gridId} ${hour}`
    const done = (this.turns.get(key) ?? Promise.resolve()).then(task)
    const settled = done.then(
      () => undefined,
      () => undefined,
    )
    this.turns.set(key, settled)
    try {
      return await done
    } finally {
      if (this.turns.get(key) === settled) this.turns.delete(key)
    }
  }

  /** The file of an hour, made where there is none. */
  async ensure(gridId: string, hour: number): Promise<HourFile> {
    const known = this.find(gridId, hour)
    if (known) return known
    await mkdir(join(this.layout.gridsFolder, gridId), { recursive: true })
    await syncFolder(this.layout.gridsFolder)
    const file = this.describe(gridId, hour, 1)
    file.attached = this.attach(file)
    await file.attached
    await this.session.run(createTables(file.alias, HOUR_FILE_TABLES))
    await syncFolder(dirname(file.path))
    this.hoursOf(gridId).set(hour, file)
    return file
  }

  /** Forgets the file and deletes it as soon as no question reads it. */
  async remove(file: HourFile): Promise<void> {
    this.grids.get(file.gridId)?.delete(file.hour)
    await this.deleteUnused(file)
  }

  /** Puts a rewritten file in the place of this one; questions under way go on reading the old one until it is removed. */
  async replace(file: HourFile, rewrittenPath: string): Promise<void> {
    const successor = this.describe(file.gridId, file.hour, file.generation + 1)
    await rename(rewrittenPath, successor.path)
    await syncFolder(dirname(file.path))
    this.hoursOf(file.gridId).set(file.hour, successor)
    await this.deleteUnused(file)
  }

  async diskBytes(): Promise<number> {
    const sizes = await Promise.all(
      this.all().map((file) =>
        stat(file.path).then(
          (found) => found.size,
          () => 0,
        ),
      ),
    )
    return sizes.reduce((sum, size) => sum + size, 0)
  }

  /** A crash while an hour was being replaced leaves two generations of it, of which the newer one is whole. */
  private async discover(gridId: string): Promise<void> {
    const hours = this.hoursOf(gridId)
    for (const name of await readdir(join(this.layout.gridsFolder, gridId))) {
      const found = parseHourFileName(name)
      if (!found) continue
      const file = this.describe(gridId, found.hour, found.generation)
      const other = hours.get(found.hour)
      const [older, newer] = other && other.generation > file.generation ? [file, other] : [other, file]
      hours.set(found.hour, newer)
      if (older) await this.deleteUnused(older)
    }
  }

  private describe(gridId: string, hour: number, generation: number): HourFile {
    const alias = `hour_${++this.serial}`
    const path = hourFilePath(this.layout, gridId, hour, generation)
    return {
      gridId,
      hour,
      generation,
      path,
      alias,
      attached: undefined,
      readers: 0,
      lastUsed: this.serial,
      mayBeScattered: true,
    }
  }

  private hoursOf(gridId: string): Map<number, HourFile> {
    const hours = this.grids.get(gridId) ?? new Map<number, HourFile>()
    this.grids.set(gridId, hours)
    return hours
  }

  private async attach(file: HourFile): Promise<void> {
    await this.makeRoom()
    await this.session.run(`ATTACH '${file.path.replaceAll("'", "''")}' AS ${file.alias} (STORAGE_VERSION 'latest')`)
  }

  private async makeRoom(): Promise<void> {
    const attached = this.all().filter((file) => file.attached)
    if (attached.length < ATTACHED_MAX) return
    const unused = attached.filter((file) => file.readers === 0).sort((a, b) => a.lastUsed - b.lastUsed)
    for (const file of unused.slice(0, 8)) await this.detach(file)
  }

  private async detach(file: HourFile): Promise<void> {
    file.attached = undefined
    const alias = file.alias
    file.alias = `hour_${++this.serial}`
    await this.session.run(`DETACH ${alias}`)
  }

  private async deleteUnused(file: HourFile): Promise<void> {
    while (file.readers > 0) await new Promise((resolve) => setTimeout(resolve, 20))
    if (file.attached) await this.detach(file)
    await rm(`${file.path}.wal`, { force: true })
    await rm(file.path, { force: true })
  }

  /** A damaged hour must not take the others with it. */
  private async setAside(file: HourFile, error: Error): Promise<void> {
    this.grids.get(file.gridId)?.delete(file.hour)
    const kept = join(this.layout.damagedFolder, `${file.gridId}-${basename(file.path)}`)
    await rename(file.path, kept).catch(() => undefined)
    await rename(`${file.path}.wal`, `${kept}.wal`).catch(() => undefined)
    const reason = error.message.split('\n', 1)[0]
    this.warn(`an hour of telemetry cannot be read and was set aside as ${kept}: ${reason}`)
  }
}
