import { mkdir, readdir, rename, rmdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { TimeWindow } from '../../../domain/time-window.ts'
import { checkpointFile } from '../checkpoint-file.ts'
import { diskBytesOf, isDamage, moveAside, neverHeldAnything, removeFile } from '../data-file.ts'
import type { HourFiles } from '../hour-files.ts'
import { dayFileName, gridFolders, type Layout, nsRangeOfHour, parseDayFileName, syncFolder } from '../layout.ts'
import type { Session } from '../session.ts'
import { Turns } from '../turns.ts'
import { DAY_FILE_TABLES, DayFile } from './day-file.ts'
import { rollHour } from './roll-hour.ts'
import { writeSorted } from './sort-day.ts'

/** Hours that are rolled up in one file. */
export interface RolledDay {
  file: DayFile
  /** Ascending. */
  hours: number[]
}

interface DayFilesOptions {
  warn: (message: string) => void
}

const HOURS_PER_DAY = 24

/**
 * The metric points of hours that are over, rolled up by day, so that a month is a few files. An hour file does not know of
 * them: before points are sealed into an hour that was rolled up, the hour is taken off its day's list, and it is rolled up
 * anew when it is at rest again. So whatever moment the process ends at, an hour on the list has all of its points here.
 */
export class DayFiles {
  private readonly session: Session
  private readonly hourFiles: HourFiles
  private readonly layout: Layout
  private readonly options: DayFilesOptions
  private readonly daysByGrid = new Map<string, Map<number, DayFile>>()
  /** Hours that this process knows to have no points, of days that have no file. */
  private readonly withoutPoints = new Map<string, Set<number>>()
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

  all(): DayFile[] {
    return [...this.daysByGrid.values()].flatMap((days) => [...days.values()])
  }

  /** The hours of a window that are rolled up whole, newest day first. */
  async rolledIn(gridId: string, { startNs, endNs }: TimeWindow): Promise<RolledDay[]> {
    const found: RolledDay[] = []
    for (const file of [...this.daysOf(gridId).values()].sort((a, b) => b.day - a.day)) {
      const { firstNs } = nsRangeOfHour(file.day * HOURS_PER_DAY)
      const { lastNs } = nsRangeOfHour((file.day + 1) * HOURS_PER_DAY - 1)
      if (lastNs < startNs || firstNs >= endNs) continue
      const hours = [...(await this.hoursOf(file))].filter((hour) => {
        const range = nsRangeOfHour(hour)
        return range.firstNs >= startNs && range.lastNs < endNs
      })
      if (hours.length > 0) found.push({ file, hours: hours.sort((a, b) => a - b) })
    }
    return found
  }

  /** Whether an hour is known to have no points, though it has no place in a day. */
  isWithoutPoints(gridId: string, hour: number): boolean {
    return this.withoutPoints.get(gridId)?.has(hour) ?? false
  }

  async isRolled(gridId: string, hour: number): Promise<boolean> {
    if (this.isWithoutPoints(gridId, hour)) return true
    const file = this.daysOf(gridId).get(dayOf(hour))
    return file ? (await this.hoursOf(file)).has(hour) : false
  }

  /** Keeps the file attached until the returned function is called; undefined where it is gone or turned out unreadable. */
  async use(file: DayFile): Promise<(() => void) | undefined> {
    if (file.gone) return undefined
    try {
      return await this.hourFiles.keepAttached(file)
    } catch (error) {
      if (!isDamage(error as Error)) throw error
      await this.inTurn(file.gridId, file.day, () => this.setAside(file, error as Error))
      return undefined
    }
  }

  /** Rolls up an hour as its file is now. To be called in the hour's turn. */
  async roll(session: Session, gridId: string, hour: number, hourAlias: string | undefined): Promise<void> {
    if (hourAlias === undefined) return
    const [found] = await session.rows(`SELECT 1 FROM ${hourAlias}.points LIMIT 1`)
    const day = dayOf(hour)
    if (!found && !this.daysOf(gridId).has(day)) {
      const known = this.withoutPoints.get(gridId) ?? new Set()
      this.withoutPoints.set(gridId, known.add(hour))
      return
    }
    await this.changing(gridId, day, async (file) => await this.rollInto(session, file, hour, hourAlias))
  }

  /** Brings a day into order whose last hour is over, and of which no hour is left to be rolled up. */
  async sortWhole(session: Session, file: DayFile, isOver: (hour: number) => boolean): Promise<void> {
    if (file.generation > 1 || !isOver((file.day + 1) * HOURS_PER_DAY - 1)) return
    const rolled = await this.hoursOf(file)
    const hours = this.hourFiles.hours(file.gridId).filter((hour) => dayOf(hour) === file.day)
    if (hours.every((hour) => rolled.has(hour) || this.isWithoutPoints(file.gridId, hour)))
      await this.sort(session, file)
  }

  /** To be called in the hour's turn, before points are sealed into it. */
  async takeOff(session: Session, gridId: string, hour: number): Promise<void> {
    this.withoutPoints.get(gridId)?.delete(hour)
    const known = this.daysOf(gridId).get(dayOf(hour))
    if (!known || !(await this.hoursOf(known)).has(hour)) return
    await this.changing(gridId, dayOf(hour), async (file) => {
      await session.run(`DELETE FROM ${file.alias}.rolled WHERE hour = ${hour}`)
      await checkpointFile(session, file)
      file.hours?.delete(hour)
    })
  }

  /** Takes hours off the list that are not wanted any more, and removes days that have no others. */
  async expire(gridId: string, isUnwanted: (hour: number) => boolean): Promise<void> {
    for (const hour of this.withoutPoints.get(gridId) ?? [])
      if (isUnwanted(hour)) this.withoutPoints.get(gridId)?.delete(hour)
    for (const file of [...this.daysOf(gridId).values()]) {
      const isOver = isUnwanted((file.day + 1) * HOURS_PER_DAY - 1)
      if (isOver) await this.remove(file)
      else
        for (const hour of [...(await this.hoursOf(file))].filter(isUnwanted))
          await this.takeOff(this.session, gridId, hour)
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
      if (failure && isDamage(failure)) await this.inTurn(file.gridId, file.day, () => this.setAside(file, failure))
    }
  }

  async diskBytes(): Promise<number> {
    let sum = 0
    for (const file of this.all()) {
      file.diskBytes ??= await diskBytesOf(file.path).catch(() => 0)
      sum += file.diskBytes
    }
    return sum
  }

  private async sort(session: Session, file: DayFile): Promise<void> {
    await this.inTurn(file.gridId, file.day, async () => {
      const release = file.gone ? undefined : await this.hourFiles.keepAttached(file)
      if (!release) return
      try {
        const path = await writeSorted(session, this.layout, file.alias)
        const successor = this.describe(file.gridId, file.day, file.generation + 1)
        await rename(path, successor.path)
        await syncFolder(dirname(file.path))
        successor.hours = file.hours
        file.gone = true
        this.daysOf(file.gridId).set(file.day, successor)
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
      const file = this.describe(gridId, found.day, found.generation)
      const other = days.get(found.day)
      const [older, newer] = other && other.generation > file.generation ? [file, other] : [other, file]
      days.set(found.day, newer)
      if (older) await this.deleteUnused(older)
    }
  }

  private async readThrough(file: DayFile): Promise<void> {
    for (const table of Object.keys(DAY_FILE_TABLES))
      await this.session.run(`SELECT bit_xor(hash(t)) FROM ${file.alias}.${table} t`)
  }

  /** After a failure it is doubtful what the list says, and it is read again. */
  private async changing(gridId: string, day: number, change: (file: DayFile) => Promise<void>): Promise<void> {
    await this.inTurn(gridId, day, async () => {
      const file = await this.ensure(gridId, day)
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

  private async rollInto(session: Session, file: DayFile, hour: number, hourAlias: string): Promise<void> {
    await session.run('BEGIN TRANSACTION')
    try {
      await rollHour(session, hourAlias, file.alias, hour)
      await session.run(`INSERT INTO ${file.alias}.rolled VALUES (${hour})`)
      await session.run('COMMIT')
    } catch (error) {
      await session.evenIfStopped('ROLLBACK').catch(() => undefined)
      throw error
    }
    file.hours?.add(hour)
    await checkpointFile(session, file)
  }

  /** Read from the file once; from then on this process is the only one that changes the list. */
  private async hoursOf(file: DayFile): Promise<Set<number>> {
    if (file.hours) return file.hours
    const release = await this.use(file)
    if (!release) return new Set()
    try {
      return await this.inTurn(file.gridId, file.day, async () => {
        if (file.hours) return file.hours
        const rows = await this.session.rows(`SELECT hour FROM ${file.alias}.rolled`)
        file.hours = new Set(rows.map((row) => row['hour'] as number))
        return file.hours
      })
    } finally {
      release()
    }
  }

  private async ensure(gridId: string, day: number): Promise<DayFile> {
    const known = this.daysOf(gridId).get(day)
    if (known) return known
    const folder = join(this.layout.gridsFolder, gridId)
    await mkdir(folder, { recursive: true })
    const file = this.describe(gridId, day, 1)
    await file.create()
    await syncFolder(folder)
    file.hours = new Set()
    this.daysOf(gridId).set(day, file)
    return file
  }

  private async remove(file: DayFile): Promise<void> {
    await this.inTurn(file.gridId, file.day, async () => {
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
    this.options.warn(`a day of rolled up metrics cannot be read and was set aside as ${kept}: ${reason}`)
  }

  private forget(file: DayFile): void {
    file.gone = true
    const days = this.daysOf(file.gridId)
    if (days.get(file.day) === file) days.delete(file.day)
  }

  private describe(gridId: string, day: number, generation: number): DayFile {
    const path = join(this.layout.gridsFolder, gridId, dayFileName(day, generation))
    return new DayFile(this.hourFiles.attaching, { gridId, day, generation, path })
  }

  private daysOf(gridId: string): Map<number, DayFile> {
    const days = this.daysByGrid.get(gridId) ?? new Map<number, DayFile>()
    this.daysByGrid.set(gridId, days)
    return days
  }

  private async inTurn<T>(gridId: string, day: number, task: () => Promise<T>): Promise<T> {
    return await this.turns.take(`${gridId} ${day}`, task)
  }
}

function dayOf(hour: number): number {
  return Math.floor(hour / HOURS_PER_DAY)
}
