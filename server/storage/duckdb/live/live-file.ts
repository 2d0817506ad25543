import type { OpenFile } from '../files/open-file.ts'
import { LiveHour } from './live-hour.ts'

/** What an open file holds, as far as figures are made from it. */
export class LiveFile {
  readonly open: OpenFile
  /** Where its own spans begin. */
  readonly ownFrom: number
  /** All spans of open files from this number on are in memory. */
  readonly wholeFrom: number
  /** How many spans it has. */
  rows = 0
  /** Whether all of its hours are. */
  isSealed = false
  readonly sealedHours = new Set<LiveHour>()
  private readonly hoursByGrid = new Map<string, Map<number, LiveHour>>()

  private kept: number

  constructor(open: OpenFile, ownFrom: number, wholeFrom: number) {
    this.open = open
    this.ownFrom = ownFrom
    this.kept = ownFrom
    this.wholeFrom = wholeFrom
  }

  /**
   * Spans from this place on stay in memory as long as the file does: its own, and those that it taught something about. The
   * hour files do not say that yet, so these spans could not be read again as what they are.
   */
  get keptFrom(): number {
    return this.kept
  }

  /** The file teaches something about the span at this place. */
  keep(place: number): void {
    if (place < this.kept) this.kept = place
  }

  get number(): number {
    return this.open.number
  }

  find(gridId: string, hour: number): LiveHour | undefined {
    return this.hoursByGrid.get(gridId)?.get(hour)
  }

  /** An hour that the file has no rows of is among its hours from now on: it has something to say about it. */
  hour(gridId: string, hour: number): LiveHour {
    const hours = this.hoursByGrid.get(gridId) ?? new Map<number, LiveHour>()
    this.hoursByGrid.set(gridId, hours)
    const known = hours.get(hour)
    if (known) return known
    const made = new LiveHour(gridId, hour)
    hours.set(hour, made)
    this.open.count({ gridId, hour, table: 'spans', rows: 0 })
    return made
  }

  *hours(): Generator<LiveHour> {
    for (const hours of this.hoursByGrid.values()) yield* hours.values()
  }
}
