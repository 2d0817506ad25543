import type { OpenFile } from '../files/open-file.ts'
import { LiveFile } from './live-file.ts'
import type { LiveGrids } from './live-grids.ts'
import type { LiveHour } from './live-hour.ts'
import { rowOf, type Segment, type SpanRing } from './span-ring.ts'

/** The open files that have spans, until nobody asks for their figures any more. */
export class LiveFiles {
  private readonly ring: SpanRing
  private readonly grids: LiveGrids
  private readonly byNumber = new Map<number, LiveFile>()
  /** Where each file's spans began, also of those that were dropped, as long as these spans are in memory. */
  private starts: { number: number; place: number }[] = []

  constructor(ring: SpanRing, grids: LiveGrids) {
    this.ring = ring
    this.grids = grids
  }

  get(number: number): LiveFile | undefined {
    return this.byNumber.get(number)
  }

  /** The first span of a file is the one at this place among all that ever came. */
  begin(open: OpenFile, place: number): LiveFile {
    this.starts = this.starts.filter((start) => start.place >= this.ring.begin)
    const wholeFrom = this.starts[0]?.number ?? open.number
    const file = new LiveFile(open, place, wholeFrom)
    this.byNumber.set(open.number, file)
    this.starts.push({ number: open.number, place })
    return file
  }

  drop(number: number): void {
    this.byNumber.delete(number)
  }

  /** Spans from this place on have to stay in memory. */
  get keptFrom(): number {
    let first = Number.POSITIVE_INFINITY
    for (const { keptFrom } of this.byNumber.values()) first = Math.min(first, keptFrom)
    return first
  }

  /** Where the spans of the oldest file begin. */
  get ownFrom(): number {
    let first = Number.POSITIVE_INFINITY
    for (const { ownFrom } of this.byNumber.values()) first = Math.min(first, ownFrom)
    return first
  }

  /** The open file that a span came in, unless it is sealed: then its figures say no more than they do. */
  openFileOf(id: number): LiveFile | undefined {
    const file = this.byNumber.get(this.ring.segmentOf(id).file[rowOf(id)] as number)
    return file?.isSealed ? undefined : file
  }

  isSealed(id: number): boolean {
    const segment = this.ring.segmentOf(id)
    const row = rowOf(id)
    const file = this.byNumber.get(segment.file[row] as number)
    return !file || file.isSealed || file.sealedHours.has(this.hourOf(file, segment, row))
  }

  /** What a file says about the hour that a span, of this file or another, began in. */
  hourOf(file: LiveFile, segment: Segment, row: number): LiveHour {
    return file.hour(this.grids.idOf(segment.grid[row] as number), segment.hour[row] as number)
  }

  /** Marks the numbers of texts and origins that the figures name. */
  markUsed(texts: Uint8Array, origins: Uint8Array): void {
    for (const file of this.byNumber.values()) for (const hour of file.hours()) hour.markUsed(texts, origins)
  }
}
