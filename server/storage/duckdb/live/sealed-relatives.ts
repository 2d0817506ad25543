import type { KnownSpans } from './known-spans.ts'
import type { LiveFiles } from './live-files.ts'
import { addFlag, COUNTED, HAS_PARENT, LOADED, RECEIVES, TAKEN } from './span-flags.ts'
import type { SpanJoiner } from './span-joiner.ts'
import type { SpanLedger } from './span-ledger.ts'
import { NONE, type Place, rowOf, type SpanRing } from './span-ring.ts'

/** Brings spans that are sealed, and have left the memory, back to their relatives. */
export class SealedRelatives {
  private readonly ring: SpanRing
  private readonly known: KnownSpans
  private readonly files: LiveFiles
  private readonly ledger: SpanLedger
  private readonly joiner: SpanJoiner
  /** Those that were filled and are not known yet. */
  private readonly loading: number[] = []

  constructor(ring: SpanRing, known: KnownSpans, files: LiveFiles, ledger: SpanLedger, joiner: SpanJoiner) {
    this.ring = ring
    this.known = known
    this.files = files
    this.ledger = ledger
    this.joiner = joiner
  }

  /** Room for a sealed span was filled: `finish` makes it known, with others. */
  load({ segment, row, id }: Place, isRequest: boolean, hasParent: boolean): void {
    segment.flags[row] = TAKEN | LOADED | (isRequest ? 0 : RECEIVES) | (hasParent ? HAS_PARENT : 0)
    segment.file[row] = 0
    this.loading.push(id)
    this.ring.advance()
  }

  /**
   * Makes the spans known that were loaded: all that are sealed of their traces, so that what they are to each other is what the
   * sums in the files say already. What they are to spans of open files is news, and goes to the figures of those.
   */
  finish(): void {
    const loaded = this.loading.splice(0).filter((id) => this.isUnknown(id))
    for (const id of loaded) this.enter(id)
    for (const id of loaded) this.joinSealed(id)
    for (const id of loaded) this.joinOpen(id)
  }

  abandon(): void {
    for (const id of this.loading.splice(0)) this.ring.segmentOf(id).flags[rowOf(id)] = 0
  }

  /** A sealed consumer, by its service, links to a span. */
  loadLink(high: number, low: number, service: number): void {
    this.joiner.joinLinked(high, low, service, undefined)
  }

  /** A span that is known as sealed is not loaded again. */
  private isUnknown(id: number): boolean {
    const segment = this.ring.segmentOf(id)
    const row = rowOf(id)
    const known = this.known.find(segment.keyHigh[row] as number, segment.keyLow[row] as number)
    if (known === NONE || !this.files.isSealed(known)) return true
    segment.flags[row] = 0
    return false
  }

  private enter(id: number): void {
    const segment = this.ring.segmentOf(id)
    const row = rowOf(id)
    const copy = this.known.find(segment.keyHigh[row] as number, segment.keyLow[row] as number)
    if (copy !== NONE) this.ledger.markCopy(copy)
    this.ledger.begin(segment, row)
    this.known.add(id, segment, row)
    addFlag(segment, row, COUNTED)
  }

  private joinSealed(id: number): void {
    const segment = this.ring.segmentOf(id)
    const row = rowOf(id)
    const high = segment.keyHigh[row] as number
    const low = segment.keyLow[row] as number
    const parent = this.known.parentOf(segment, row)
    if (parent !== NONE && !this.files.openFileOf(parent)) this.joiner.join(parent, id, undefined)
    for (let child = this.known.firstOrphan(high, low); child !== NONE; child = this.known.nextOrphan(child))
      if (!this.files.openFileOf(child)) this.joiner.join(id, child, undefined)
    for (const { service, file } of this.known.waitingLinks.of(high, low))
      if (!this.files.get(file)) this.ledger.reach(id, service, false, undefined)
  }

  private joinOpen(id: number): void {
    const segment = this.ring.segmentOf(id)
    const row = rowOf(id)
    this.joiner.joinParent(id, segment, row, undefined)
    this.joiner.joinChildren(id, segment, row, undefined)
    this.joiner.joinConsumers(id, segment, row, undefined)
  }
}
