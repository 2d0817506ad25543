import type { HourFile } from '../files/hour-file.ts'
import type { LiveHour } from '../live/live-hour.ts'
import type { LiveSpans } from '../live/live-spans.ts'
import { KeptDurations } from './kept-durations.ts'
import { KeptHour } from './kept-hour.ts'

interface Loading {
  done: Promise<void>
  /** Something was sealed into the hour meanwhile. */
  isOutdated: boolean
}

/** Minutes whose rows stay where there is little room: two windows have four ends. */
const ROWS_KEPT_MIN = 4

/**
 * The sums of the hours that are asked about, in memory. What is sealed into such an hour is added in the moment in which its
 * commit is known of. An hour is forgotten where anything about it is doubtful, and where there is no room.
 */
export class KeptHours {
  private readonly live: LiveSpans
  private readonly bytesMax: number
  /** Those used last come last. */
  private readonly byFile = new Map<HourFile, KeptHour>()
  private readonly loadings = new Map<HourFile, Loading>()
  private readonly tooLarge = new WeakSet<HourFile>()

  constructor(live: LiveSpans, bytesMax: number) {
    this.live = live
    this.bytesMax = bytesMax
  }

  find(file: HourFile): KeptHour | undefined {
    const kept = this.byFile.get(file)
    if (!kept) return undefined
    this.byFile.delete(file)
    this.byFile.set(file, kept)
    return kept
  }

  mayLoad(file: HourFile): boolean {
    return !file.gone && !this.tooLarge.has(file)
  }

  /** Reads an hour; whoever asks meanwhile waits for the same reading. Nothing is kept where something was sealed meanwhile. */
  async load(file: HourFile, read: () => Promise<KeptHour | undefined>): Promise<void> {
    const known = this.loadings.get(file)
    if (known) return await known.done
    const loading: Loading = { isOutdated: false, done: Promise.resolve() }
    this.loadings.set(file, loading)
    const release = this.live.hold()
    loading.done = read()
      .then((kept) => {
        if (!kept) this.tooLarge.add(file)
        else if (!loading.isOutdated && !file.gone) this.keep(file, kept)
      })
      .finally(() => {
        release()
        this.loadings.delete(file)
      })
    await loading.done
  }

  /** An open file is sealed into an hour: to be called as soon as that is committed. */
  sealed(file: HourFile, openNumber: number, added: LiveHour | undefined): void {
    const loading = this.loadings.get(file)
    if (loading) loading.isOutdated = true
    const known = this.byFile.get(file) ?? (file.isEmpty ? new KeptHour(file.hour, [], new KeptDurations()) : undefined)
    file.isEmpty = false
    if (!known) return
    known.add(openNumber, added, this.live)
    this.byFile.set(file, known)
    if (known.isFull) this.giveUp(file)
    this.makeRoom()
  }

  /** Rows of a minute were added to a kept hour. */
  grown(kept: KeptHour): void {
    kept.measure()
    this.makeRoom()
  }

  /** The hour was rewritten, and its sums are the same. */
  replaced(file: HourFile, successor: HourFile): void {
    const kept = this.byFile.get(file)
    this.drop(file)
    if (kept && !successor.isStripped) this.keep(successor, kept)
  }

  drop(file: HourFile): void {
    this.byFile.delete(file)
    const loading = this.loadings.get(file)
    if (loading) loading.isOutdated = true
  }

  markUsed(texts: Uint8Array, origins: Uint8Array): void {
    for (const kept of this.byFile.values()) kept.markUsed(texts, origins)
  }

  private keep(file: HourFile, kept: KeptHour): void {
    kept.measure()
    this.byFile.set(file, kept)
    this.makeRoom()
  }

  private giveUp(file: HourFile): void {
    this.byFile.delete(file)
    this.tooLarge.add(file)
  }

  private makeRoom(): void {
    for (const file of this.byFile.keys()) if (file.gone) this.byFile.delete(file)
    let bytes = 0
    for (const kept of this.byFile.values()) bytes += kept.bytes
    bytes -= this.dropOldRows(bytes - this.bytesMax)
    for (const [file, kept] of this.byFile) {
      if (bytes <= this.bytesMax) return
      if (kept.bytes > this.bytesMax) this.tooLarge.add(file)
      this.byFile.delete(file)
      bytes -= kept.bytes
    }
  }

  /** The ends of windows move on, and rows of a minute are read sooner than the sums of an hour. Returns how much room that made. */
  private dropOldRows(bytes: number): number {
    if (bytes <= 0) return 0
    const all = [...this.byFile.values()].flatMap((kept) =>
      Object.values(kept.rows).flatMap((minutes) =>
        [...minutes].map(([minute, rows]) => ({ kept, minutes, minute, rows })),
      ),
    )
    const oldest = all.sort((a, b) => a.rows.lastUse - b.rows.lastUse).slice(0, -ROWS_KEPT_MIN)
    let made = 0
    for (const { kept, minutes, minute, rows } of oldest) {
      if (made >= bytes) break
      minutes.delete(minute)
      kept.measure()
      made += rows.bytes
    }
    return made
  }
}
