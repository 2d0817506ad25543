import { LOCAL_ROOT, REQUEST } from '../schema.ts'
import type { KnownSpans } from './known-spans.ts'
import type { LiveFile } from './live-file.ts'
import type { LiveFiles } from './live-files.ts'
import { HAS_PARENT, hasFlag } from './span-flags.ts'
import { isCall, isEntry } from './span-kinds.ts'
import type { SpanLedger } from './span-ledger.ts'
import { NONE, rowOf, type Segment, type SpanRing } from './span-ring.ts'

/**
 * Joins a span to its relatives, and lets it wait for those that have not come. What is learned goes to the figures of `cause`,
 * the file that the span came in. A span that was read from an hour file has none: what it teaches about a span of an open file
 * goes to the figures of that file.
 */
export class SpanJoiner {
  private readonly ring: SpanRing
  private readonly known: KnownSpans
  private readonly files: LiveFiles
  private readonly ledger: SpanLedger

  constructor(ring: SpanRing, known: KnownSpans, files: LiveFiles, ledger: SpanLedger) {
    this.ring = ring
    this.known = known
    this.files = files
    this.ledger = ledger
  }

  joinParent(id: number, segment: Segment, row: number, cause: LiveFile | undefined): void {
    if (!hasFlag(segment, row, HAS_PARENT)) return
    const parent = this.known.parentOf(segment, row)
    if (parent === NONE) this.known.awaitParent(id, segment, row)
    else this.join(parent, id, cause ?? this.files.openFileOf(parent))
  }

  joinChildren(id: number, segment: Segment, row: number, cause: LiveFile | undefined): void {
    let child = this.known.takeOrphans(segment.keyHigh[row] as number, segment.keyLow[row] as number)
    while (child !== NONE) {
      this.join(id, child, cause ?? this.files.openFileOf(child))
      child = this.known.releaseOrphan(child)
    }
  }

  /** Joins a span to the consumers that linked to it before it came. */
  joinConsumers(id: number, segment: Segment, row: number, cause: LiveFile | undefined): void {
    if (!isCall(segment.kind[row] as number)) return
    const links = this.known.waitingLinks.take(segment.keyHigh[row] as number, segment.keyLow[row] as number)
    for (const { service, file } of links) this.ledger.reach(id, service, false, cause ?? this.files.get(file))
  }

  /** Joins a consumer, by its service, to a span that it links to. */
  joinLinked(high: number, low: number, service: number, cause: LiveFile | undefined): void {
    const id = this.known.find(high, low)
    if (id === NONE) this.known.waitingLinks.add(high, low, { service, file: cause?.number ?? 0 })
    else this.ledger.reach(id, service, false, cause ?? this.files.openFileOf(id))
  }

  join(parentId: number, childId: number, cause: LiveFile | undefined): void {
    const parent = this.ring.segmentOf(parentId)
    const parentRow = rowOf(parentId)
    const kind = parent.kind[parentRow] as number
    const service = this.ring.segmentOf(childId).service[rowOf(childId)] as number
    const isSameService = parent.service[parentRow] === service
    if (isSameService) this.ledger.takeRole(childId, LOCAL_ROOT | (isEntry(kind) ? REQUEST : 0), cause)
    if (!isCall(kind)) return
    if (isSameService) this.ledger.answer(parentId, cause)
    else this.ledger.reach(parentId, service, true, cause)
  }
}
