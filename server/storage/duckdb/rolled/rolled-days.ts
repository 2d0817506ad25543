import type { TimeWindow } from '../../../domain/time-window.ts'
import type { Session } from '../engine/session.ts'
import { checkpointFile } from '../files/checkpoint-file.ts'
import { nsRangeOfHour } from '../layout.ts'
import type { DayFile, DayKind } from './day-file.ts'
import type { DayFiles } from './day-files.ts'

/** Hours that are rolled up in one file. */
export interface RolledDay {
  file: DayFile
  /** Ascending. */
  hours: number[]
}

export const HOURS_PER_DAY = 24

/**
 * What hours that are over come down to, by day, so that weeks are a few files. An hour file does not know of it: before
 * anything is sealed into an hour that was rolled up, the hour is taken off its day's list, and it is rolled up anew when it is
 * at rest again. So whatever moment the process ends at, all that an hour on the list has is in its day.
 */
export abstract class RolledDays {
  readonly files: DayFiles
  protected readonly kind: DayKind
  /** Hours that this process knows to have no place in a day. */
  protected readonly leftOut = new Map<string, Set<number>>()
  private readonly session: Session

  constructor(kind: DayKind, files: DayFiles, session: Session) {
    this.kind = kind
    this.files = files
    this.session = session
  }

  /** Rolls up an hour as its file is now. To be called in the hour's turn. */
  abstract roll(session: Session, gridId: string, hour: number, hourAlias: string): Promise<void>

  /** The hours of a window that are rolled up and wanted, newest day first. */
  async rolledIn(
    gridId: string,
    { startNs, endNs }: TimeWindow,
    isWanted: (hour: number) => boolean,
  ): Promise<RolledDay[]> {
    const found: RolledDay[] = []
    for (const file of this.files.ofKind(gridId, this.kind).sort((a, b) => b.day - a.day)) {
      const { firstNs } = nsRangeOfHour(file.day * HOURS_PER_DAY)
      const { lastNs } = nsRangeOfHour((file.day + 1) * HOURS_PER_DAY - 1)
      if (lastNs < startNs || firstNs >= endNs) continue
      const hours = [...(await this.files.hoursOf(file))].filter((hour) => {
        const range = nsRangeOfHour(hour)
        return range.lastNs >= startNs && range.firstNs < endNs && isWanted(hour)
      })
      if (hours.length > 0) found.push({ file, hours: hours.sort((a, b) => a - b) })
    }
    return found
  }

  /** Of all Grids. */
  all(): DayFile[] {
    return this.files.all().filter(({ kind }) => kind === this.kind)
  }

  /** Whether an hour is rolled up, or never will be as it is. */
  async isDone(gridId: string, hour: number): Promise<boolean> {
    if (this.isLeftOut(gridId, hour)) return true
    const file = this.files.find(gridId, this.kind, dayOf(hour))
    return file ? (await this.files.hoursOf(file)).has(hour) : false
  }

  /** To be called in the hour's turn, before anything is sealed into it that would be rolled up. */
  async takeOff(session: Session, gridId: string, hour: number): Promise<void> {
    this.leftOut.get(gridId)?.delete(hour)
    const day = dayOf(hour)
    const known = this.files.find(gridId, this.kind, day)
    if (!known || !(await this.files.hoursOf(known)).has(hour)) return
    await this.files.changing({ gridId, kind: this.kind, day }, async (file) => {
      await session.run(`DELETE FROM ${file.alias}.rolled WHERE hour = ${hour}`)
      await checkpointFile(session, file)
      file.hours?.delete(hour)
    })
  }

  /** Takes hours off the list that are not wanted any more, and removes days that have no others. */
  async expire(gridId: string, isUnwanted: (hour: number) => boolean): Promise<void> {
    for (const hour of this.leftOut.get(gridId) ?? []) if (isUnwanted(hour)) this.leftOut.get(gridId)?.delete(hour)
    for (const file of this.files.ofKind(gridId, this.kind)) {
      const hours = [...(await this.files.hoursOf(file))]
      if (hours.every(isUnwanted)) await this.files.remove(file, isUnwanted)
      else for (const hour of hours.filter(isUnwanted)) await this.takeOff(this.session, gridId, hour)
    }
  }

  protected isLeftOut(gridId: string, hour: number): boolean {
    return this.leftOut.get(gridId)?.has(hour) ?? false
  }

  protected leaveOut(gridId: string, hour: number): void {
    const known = this.leftOut.get(gridId) ?? new Set()
    this.leftOut.set(gridId, known.add(hour))
  }

  /** Puts an hour on its day's list, in the transaction in which `write` writes what it comes down to. */
  protected async rollInto(
    session: Session,
    gridId: string,
    hour: number,
    write: (dayAlias: string) => Promise<void>,
  ): Promise<void> {
    await this.files.changing({ gridId, kind: this.kind, day: dayOf(hour) }, async (file) => {
      await session.run('BEGIN TRANSACTION')
      try {
        await write(file.alias)
        await session.run(`INSERT INTO ${file.alias}.rolled VALUES (${hour})`)
        await session.run('COMMIT')
      } catch (error) {
        await session.evenIfStopped('ROLLBACK').catch(() => undefined)
        throw error
      }
      file.hours?.add(hour)
      file.changedAtMs = Date.now()
      await checkpointFile(session, file)
    })
  }
}

export function dayOf(hour: number): number {
  return Math.floor(hour / HOURS_PER_DAY)
}
