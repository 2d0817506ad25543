import type { DiskBudgets, RoomMade } from '../../telemetry-store.ts'
import type { DiskGuard } from '../files/disk-guard.ts'
import type { HourFile } from '../files/hour-file.ts'
import type { HourFiles } from '../files/hour-files.ts'
import { nsRangeOfHour } from '../layout.ts'
import type { DayFiles } from '../rolled/day-files.ts'
import { isClosed } from './compactor.ts'
import { nextToGo } from './next-to-go.ts'
import type { Upkeep } from './upkeep.ts'

interface RoomParts {
  hourFiles: HourFiles
  /** What the metrics of hours are rolled up into goes with their sums. */
  dayFiles: DayFiles
  upkeep: Upkeep
  disk: DiskGuard
  /** Bytes of what is not sealed yet, of all Grids. */
  unsealedBytes: () => number
}

/** Keeps what Grids take of the disk within their budgets. */
export class DiskRoom {
  private readonly parts: RoomParts

  constructor(parts: RoomParts) {
    this.parts = parts
  }

  async fitInto({ grids, maxBytes }: DiskBudgets, nowMs: number): Promise<RoomMade[]> {
    const { hourFiles, dayFiles, unsealedBytes } = this.parts
    const made = new Map<string, RoomMade>()
    for (const { gridId, maxBytes } of grids) {
      const leftOver = async () => maxBytes - (await dayFiles.diskBytes(dayFiles.ofGrid(gridId)))
      await this.fit(() => hourFiles.ofGrid(gridId), leftOver, nowMs, made)
    }
    const leftOver = async () => maxBytes - unsealedBytes() - (await dayFiles.diskBytes())
    await this.fit(() => hourFiles.all(), leftOver, nowMs, made)
    return [...made.values()]
  }

  private async fit(
    files: () => HourFile[],
    maxBytes: () => Promise<number>,
    nowMs: number,
    made: Map<string, RoomMade>,
  ): Promise<void> {
    const mayGo = (hour: number) => isClosed(hour, nowMs)
    for (;;) {
      if (this.parts.upkeep.isStopped) return
      const next = nextToGo(await this.sized(files()), Math.max(0, await maxBytes()), mayGo)
      if (!next) return
      const { file, hour, bytes } = next.hour
      // Rewriting an hour takes space for a while.
      const what = this.parts.disk.hasRoom ? next.what : 'all'
      await this.removeOf(file, what)
      const left = this.parts.hourFiles.find(file.gridId, hour)
      if (left === file) return
      const freedBytes = bytes - (left ? await this.parts.hourFiles.bytesOf(left) : 0)
      note(made, file, what, freedBytes)
    }
  }

  private async removeOf({ gridId, hour }: HourFile, what: 'records' | 'all'): Promise<void> {
    const isIt = (each: number) => each === hour
    if (what === 'all') await this.parts.upkeep.removeHours(gridId, isIt)
    else await this.parts.upkeep.stripHours(gridId, isIt)
  }

  private async sized(
    files: HourFile[],
  ): Promise<{ file: HourFile; hour: number; isStripped: boolean; bytes: number }[]> {
    const { hourFiles } = this.parts
    return await Promise.all(
      files.map(async (file) => {
        const { hour, isStripped } = file
        return { file, hour, isStripped, bytes: await hourFiles.bytesOf(file) }
      }),
    )
  }
}

function note(made: Map<string, RoomMade>, file: HourFile, what: 'records' | 'all', freedBytes: number): void {
  const { gridId, hour, isStripped } = file
  const nothing: RoomMade = { gridId, hoursOfRecords: 0, hoursOfSums: 0, freedBytes: 0, recordsFromNs: undefined }
  const soFar = made.get(gridId) ?? nothing
  made.set(gridId, soFar)
  soFar.freedBytes += freedBytes
  if (what === 'all') soFar.hoursOfSums++
  if (isStripped) return
  soFar.hoursOfRecords++
  // Late records may have brought an hour back that is older than one that went before.
  const fromNs = nsRangeOfHour(hour).lastNs + 1n
  if (soFar.recordsFromNs === undefined || fromNs > soFar.recordsFromNs) soFar.recordsFromNs = fromNs
}
