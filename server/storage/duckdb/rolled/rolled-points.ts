import type { RecordMatch } from '../../../domain/record-match.ts'
import type { Session } from '../engine/session.ts'
import type { HourFiles } from '../files/hour-files.ts'
import type { Layout } from '../layout.ts'
import type { DayFile } from './day-file.ts'
import type { DayFiles } from './day-files.ts'
import { deleteFromDay } from './delete-from-day.ts'
import { rollHour } from './roll-hour.ts'
import { dayOf, HOURS_PER_DAY, RolledDays } from './rolled-days.ts'
import { writeSorted } from './sort-day.ts'

/** The metric points of hours that are over. */
export class RolledPoints extends RolledDays {
  private readonly hourFiles: HourFiles
  private readonly layout: Layout

  constructor(files: DayFiles, session: Session, hourFiles: HourFiles, layout: Layout) {
    super('points', files, session)
    this.hourFiles = hourFiles
    this.layout = layout
  }

  /** Whether an hour is known to have no points, though it has no place in a day. */
  isWithoutPoints(gridId: string, hour: number): boolean {
    return this.isLeftOut(gridId, hour)
  }

  async roll(session: Session, gridId: string, hour: number, hourAlias: string): Promise<void> {
    const [found] = await session.rows(`SELECT 1 FROM ${hourAlias}.points LIMIT 1`)
    if (!found && !this.files.find(gridId, 'points', dayOf(hour))) this.leaveOut(gridId, hour)
    else await this.rollInto(session, gridId, hour, (dayAlias) => rollHour(session, hourAlias, dayAlias, hour))
  }

  /** Brings days into order whose last hour is over, and of which no hour is left to be rolled up. */
  async sortWhole(session: Session, file: DayFile, isOver: (hour: number) => boolean): Promise<void> {
    if (file.generation > 1 || !isOver((file.day + 1) * HOURS_PER_DAY - 1)) return
    const rolled = await this.files.hoursOf(file)
    const hours = this.hourFiles.hours(file.gridId).filter((hour) => dayOf(hour) === file.day)
    if (hours.every((hour) => rolled.has(hour) || this.isWithoutPoints(file.gridId, hour)))
      await this.files.replace(file, () => writeSorted(session, this.layout, file.alias))
  }

  /** Deletes, from the day of an hour, the series that match. */
  async deleteRecords(session: Session, gridId: string, hour: number, match: RecordMatch): Promise<void> {
    const file = this.files.find(gridId, 'points', dayOf(hour))
    if (file) await deleteFromDay(session, this.files, this.layout, file, match)
  }
}
