import { KeyMap } from './key-map.ts'
import { addFlag, HAS_PARENT, hasFlag, removeFlag, WAITS } from './span-flags.ts'
import { NONE, rowOf, type Segment, type SpanRing } from './span-ring.ts'
import { WaitingLinks } from './waiting-links.ts'

/** The spans in memory by the fingerprints of their ids, and who waits for one that has not come. */
export class KnownSpans {
  readonly waitingLinks = new WaitingLinks()
  private readonly ring: SpanRing
  private readonly ids = new KeyMap()
  /** By their parent: the first and the last of those that wait for it. */
  private readonly orphans = new KeyMap()

  constructor(ring: SpanRing) {
    this.ring = ring
  }

  /** The number of a span, or NONE. */
  find(high: number, low: number): number {
    const slot = this.ids.find(high, low)
    return slot < 0 ? NONE : this.ids.first(slot)
  }

  add(id: number, segment: Segment, row: number): void {
    this.ids.put(segment.keyHigh[row] as number, segment.keyLow[row] as number, id)
  }

  /** The number of a span's parent, or NONE where it has none or that one is unknown. */
  parentOf(segment: Segment, row: number): number {
    if (!hasFlag(segment, row, HAS_PARENT)) return NONE
    return this.find(segment.parentHigh[row] as number, segment.parentLow[row] as number)
  }

  /** Those that wait for the same parent stand in the order in which they came. */
  awaitParent(id: number, segment: Segment, row: number): void {
    const high = segment.parentHigh[row] as number
    const low = segment.parentLow[row] as number
    segment.next[row] = NONE
    addFlag(segment, row, WAITS)
    const slot = this.orphans.find(high, low)
    if (slot < 0) {
      this.orphans.put(high, low, id, id)
      return
    }
    const last = this.orphans.second(slot)
    this.ring.segmentOf(last).next[rowOf(last)] = id
    this.orphans.put(high, low, this.orphans.first(slot), id)
  }

  /** The first that waits for a span, or NONE. */
  firstOrphan(high: number, low: number): number {
    const slot = this.orphans.find(high, low)
    return slot < 0 ? NONE : this.orphans.first(slot)
  }

  /** The next that waits for the same span, or NONE. */
  nextOrphan(id: number): number {
    return this.ring.segmentOf(id).next[rowOf(id)] as number
  }

  /** As `firstOrphan`: the caller calls `releaseOrphan` for each, and nobody waits for the span any more. */
  takeOrphans(high: number, low: number): number {
    const first = this.firstOrphan(high, low)
    if (first !== NONE) this.orphans.remove(high, low)
    return first
  }

  /** The next that waited for the same span, or NONE. */
  releaseOrphan(id: number): number {
    removeFlag(this.ring.segmentOf(id), rowOf(id), WAITS)
    return this.nextOrphan(id)
  }

  /** The oldest span leaves the memory. */
  leave(id: number, segment: Segment, row: number): void {
    const high = segment.keyHigh[row] as number
    const low = segment.keyLow[row] as number
    if (this.find(high, low) === id) this.ids.remove(high, low)
    if (hasFlag(segment, row, WAITS)) this.leaveOrphans(id, segment, row)
  }

  /** The oldest is the first of those that wait with it. */
  private leaveOrphans(id: number, segment: Segment, row: number): void {
    const high = segment.parentHigh[row] as number
    const low = segment.parentLow[row] as number
    const slot = this.orphans.find(high, low)
    if (slot < 0 || this.orphans.first(slot) !== id) return
    const next = segment.next[row] as number
    if (next === NONE) this.orphans.remove(high, low)
    else this.orphans.put(high, low, next, this.orphans.second(slot))
  }
}
