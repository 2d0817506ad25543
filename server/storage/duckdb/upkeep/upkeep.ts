import type { RecordCounts, RecordMatch } from '../../../domain/record-match.ts'
import { StoreUnavailable } from '../../../domain/store-errors.ts'
import type { Database } from '../engine/database.ts'
import type { Session } from '../engine/session.ts'
import type { DiskGuard } from '../files/disk-guard.ts'
import { Gate } from '../files/gate.ts'
import type { HourFile } from '../files/hour-file.ts'
import type { HourFiles } from '../files/hour-files.ts'
import type { Layout } from '../layout.ts'
import type { Rolled } from '../rolled/rolled.ts'
import { compactHour, isClosed, stripHour } from './compactor.ts'
import { deleteFromHour } from './delete-from-hour.ts'

const INTERVAL_MS = 60_000
/** An hour that is being imported is not rewritten again and again: its rows could not be sealed meanwhile. */
const LEFT_ALONE_MS = 60_000

interface UpkeepParts {
  database: Database
  layout: Layout
  disk: DiskGuard
  hourFiles: HourFiles
  rolled: Rolled
  warn: (message: string) => void
}

/** Rewrites and removes hour files, off the way of writing and asking. */
export class Upkeep {
  /** Each hour that is rewritten or removed passes here by itself. */
  readonly rewriting = new Gate()
  private readonly parts: UpkeepParts
  private readonly timer: NodeJS.Timeout
  private compacting: Promise<void> | undefined
  private compactor: Session | undefined
  private deleter: Session | undefined
  private isClosing = false

  constructor(parts: UpkeepParts) {
    this.parts = parts
    this.timer = setInterval(() => void this.compact(Date.now(), LEFT_ALONE_MS).catch(this.warn), INTERVAL_MS)
    this.timer.unref()
  }

  /** Rewrites, one after another, the hours that are closed and were sealed in pieces, and rolls them up. */
  async compact(nowMs: number, leftAloneMs: number): Promise<void> {
    this.compacting ??= this.compactOnce(nowMs, leftAloneMs).finally(() => {
      this.compacting = undefined
    })
    await this.compacting
  }

  async removeHours(gridId: string, isUnwanted: (hour: number) => boolean): Promise<void> {
    const { hourFiles, rolled } = this.parts
    for (const days of Object.values(rolled)) await this.rewriting.pass(() => days.expire(gridId, isUnwanted))
    for (const hour of hourFiles.hours(gridId).filter(isUnwanted))
      await this.rewriting.pass(() => hourFiles.exclusively(gridId, hour, () => hourFiles.remove(gridId, hour)))
  }

  /** Leaves nothing of these hours but their sums. */
  async stripHours(gridId: string, isUnwanted: (hour: number) => boolean): Promise<void> {
    const { database, hourFiles, layout } = this.parts
    const whole = hourFiles.ofGrid(gridId).filter((file) => !file.isStripped && isUnwanted(file.hour))
    if (whole.length === 0) return
    const session = await database.connect()
    try {
      for (const { hour } of whole)
        if (!this.isClosing) await this.rewriting.pass(() => stripHour(session, hourFiles, layout, gridId, hour))
    } finally {
      session.close()
    }
  }

  get isStopped(): boolean {
    return this.isClosing
  }

  async deleteRecords(gridId: string, hour: number, match: RecordMatch): Promise<RecordCounts> {
    const { database, hourFiles, rolled, layout } = this.parts
    const session = await database.connect()
    this.deleter = session
    try {
      if (this.isClosing) throw new StoreUnavailable('the store is closed')
      return await this.rewriting.pass(async () => {
        const deleted = await deleteFromHour(session, hourFiles, layout, { gridId, hour }, match, () =>
          rolled.requests.forgetDayOf(gridId, hour),
        )
        await rolled.points.deleteRecords(session, gridId, hour, match)
        return deleted
      })
    } finally {
      this.deleter = undefined
      session.close()
    }
  }

  /** Begins nothing more, and gives up what is being compacted. */
  stop(): void {
    this.isClosing = true
    clearInterval(this.timer)
    for (const session of [this.compactor, this.deleter]) session?.stop(new StoreUnavailable('the store is closed'))
  }

  async stopped(): Promise<void> {
    await this.compacting?.catch(() => undefined)
  }

  private async compactOnce(nowMs: number, leftAloneMs: number): Promise<void> {
    const { database, hourFiles, rolled, layout, disk } = this.parts
    const compactor = await database.connectInBackground()
    this.compactor = compactor
    const atRest = () =>
      hourFiles.all().filter(({ hour, changedAtMs }) => isClosed(hour, nowMs) && changedAtMs + leftAloneMs <= nowMs)
    try {
      for (const { gridId, hour } of atRest()) {
        if (this.isClosing || !disk.hasRoom) return
        await this.rewriting.pass(() => compactHour(compactor, hourFiles, layout, gridId, hour))
      }
      for (const file of atRest().sort((a, b) => b.hour - a.hour)) {
        if (this.isClosing || !disk.hasRoom) return
        await this.rewriting.pass(() => this.roll(compactor, file))
      }
      for (const day of rolled.points.all()) {
        if (this.isClosing || !disk.hasRoom) return
        await this.rewriting.pass(() => rolled.points.sortWhole(compactor, day, (hour) => isClosed(hour, nowMs)))
      }
    } finally {
      compactor.close()
      this.compactor = undefined
    }
  }

  private async roll(session: Session, { gridId, hour }: HourFile): Promise<void> {
    const { hourFiles, rolled } = this.parts
    for (const days of Object.values(rolled)) {
      if (await days.isDone(gridId, hour)) continue
      await hourFiles.rewriting(gridId, hour, async () => {
        const file = hourFiles.find(gridId, hour)
        if (!file) return
        await hourFiles.reading([file], async ([used]) => {
          if (used) await days.roll(session, gridId, hour, used.alias)
        })
      })
    }
  }

  private readonly warn = (error: Error) => {
    if (this.isClosing) return
    this.parts.warn(`compacting failed and will be tried again: ${error.message.split('\n', 1)[0]}`)
  }
}
