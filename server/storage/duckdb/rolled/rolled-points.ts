import type { RecordMatch } from '../../../domain/record-match.ts'
import type { TimeWindow } from '../../../domain/time-window.ts'
import type { Session } from '../engine/session.ts'
import { checkpointFile } from '../files/checkpoint-file.ts'
import type { HourFiles } from '../files/hour-files.ts'
import { type Layout, nsRangeOfHour } from '../layout.ts'
import type { DayFile } from './day-file.ts'
import type { DayFiles } from './day-files.ts'
import { deleteFromDay } from './delete-from-day.ts'
import { rollHour } from './roll-hour.ts'
import { writeSorted } from './sort-day.ts'

/** Hours that are rolled up in one file. */
export interface RolledDay {
  file: DayFile
  /** Ascending. */
  hours: number[]
}

const HOURS_PER_DAY = 24

/**
 * The metric points of hours that are over, rolled up by day, so that a month is a few files. An hour file does not know of
 * them: before points are sealed into an hour that was rolled up, the hour is taken off its day's list, and it is rolled up
 * anew when it is at rest again. So whatever moment the process ends at, an hour on the list has all of its points here.
 */
export class RolledPoints {
  readonly files: DayFiles
  private readonly session: Session
  private readonly hourFiles: HourFiles
  private readonly layout: Layout
  /** Hours that this process knows to have no points, of days that have no file. */
  private readonly withoutPoints = new Map<string, Set<number>>()

  constructor(files: DayFiles, session: Session, hourFiles: HourFiles, layout: Layout) {
    this.files = files
    this.session = session
    this.hourFiles = hourFiles
    this.layout = layout
  }

  /** The hours of a window that are rolled up whole, newest day first. */
  async rolledIn(gridId: string, { startNs, endNs }: TimeWindow): Promise<RolledDay[]> {
    const found: RolledDay[] = []
    for (const file of this.files.ofGrid(gridId).sort((a, b) => b.day - a.day)) {
      const { firstNs } = nsRangeOfHour(file.day * HOURS_PER_DAY)
      const { lastNs } = nsRangeOfHour((file.day + 1) * HOURS_PER_DAY - 1)
      if (lastNs < startNs || firstNs >= endNs) continue
      const hours = [...(await this.files.hoursOf(file))].filter((hour) => {
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
    const file = this.files.find(gridId, dayOf(hour))
    return file ? (await this.files.hoursOf(file)).has(hour) : false
  }

  /** Rolls up an hour as its file is now. To be called in the hour's turn. */
  async roll(session: Session, gridId: string, hour: number, hourAlias: string | undefined): Promise<void> {
    if (hourAlias === undefined) return
    const [found] = await session.rows(`SELECT 1 FROM ${hourAlias}.points LIMIT 1`)
    const day = dayOf(hour)
    if (!found && !this.files.find(gridId, day)) {
      const known = this.withoutPoints.get(gridId) ?? new Set()
      this.withoutPoints.set(gridId, known.add(hour))
      return
    }
    await this.files.changing(gridId, day, async (file) => await this.rollInto(session, file, hour, hourAlias))
  }

  /** Brings a day into order whose last hour is over, and of which no hour is left to be rolled up. */
  async sortWhole(session: Session, file: DayFile, isOver: (hour: number) => boolean): Promise<void> {
    if (file.generation > 1 || !isOver((file.day + 1) * HOURS_PER_DAY - 1)) return
    const rolled = await this.files.hoursOf(file)
    const hours = this.hourFiles.hours(file.gridId).filter((hour) => dayOf(hour) === file.day)
    if (hours.every((hour) => rolled.has(hour) || this.isWithoutPoints(file.gridId, hour)))
      await this.files.replace(file, () => writeSorted(session, this.layout, file.alias))
  }

  /** To be called in the hour's turn, before points are sealed into it. */
  async takeOff(session: Session, gridId: string, hour: number): Promise<void> {
    this.withoutPoints.get(gridId)?.delete(hour)
    const known = this.files.find(gridId, dayOf(hour))
    if (!known || !(await this.files.hoursOf(known)).has(hour)) return
    await this.files.changing(gridId, dayOf(hour), async (file) => {
      await session.run(`DELETE FROM ${file.alias}.rolled WHERE hour = ${hour}`)
      await checkpointFile(session, file)
      file.hours?.delete(hour)
    })
  }

  /** Takes hours off the list that are not wanted any more, and removes days that have no others. */
  async expire(gridId: string, isUnwanted: (hour: number) => boolean): Promise<void> {
    for (const hour of this.withoutPoints.get(gridId) ?? [])
      if (isUnwanted(hour)) this.withoutPoints.get(gridId)?.delete(hour)
    for (const file of this.files.ofGrid(gridId)) {
      const isOver = isUnwanted((file.day + 1) * HOURS_PER_DAY - 1)
      if (isOver) await this.files.remove(file)
      else
        for (const hour of [...(await this.files.hoursOf(file))].filter(isUnwanted))
          await this.takeOff(this.session, gridId, hour)
    }
  }

  /** Deletes, from the day of an hour, the series that match. */
  async deleteRecords(session: Session, gridId: string, hour: number, match: RecordMatch): Promise<void> {
    const file = this.files.find(gridId, dayOf(hour))
    if (file) await deleteFromDay(session, this.files, this.layout, file, match)
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
}

function dayOf(hour: number): number {
  return Math.floor(hour / HOURS_PER_DAY)
}
