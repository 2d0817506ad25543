import type { ApdexThresholds } from '../../../domain/apdex.ts'
import type { OpenFile } from '../files/open-file.ts'
import { KeptHours } from '../kept/kept-hours.ts'
import { KnownSpans } from './known-spans.ts'
import type { LiveFile } from './live-file.ts'
import { LiveFiles } from './live-files.ts'
import { type LiveGrid, LiveGrids } from './live-grids.ts'
import { OriginIds } from './origin-ids.ts'
import { SealedRelatives } from './sealed-relatives.ts'
import { addFlag, COPY, HAS_PARENT, hasFlag, LOADED, RECEIVES, TAKEN } from './span-flags.ts'
import { SpanJoiner } from './span-joiner.ts'
import { SpanLedger } from './span-ledger.ts'
import { NONE, type Place, rowOf, type Segment, SpanRing } from './span-ring.ts'
import { TextIds } from './text-ids.ts'

/** About 90 MB. */
const SPANS_MAX = 1_000_000

/** The halves of the fingerprints of the spans that a consumer links to. */
export type LinkKeys = { high: number; low: number }[]

/**
 * The spans that came last, with what they are to each other: whose request a span is, and whom a call reached. Parents and
 * children are joined as they come, in whatever order, and every open file has its figures by then (`LiveHour`): what a span
 * teaches about one of an earlier file is a correction among the figures of its own file. So a file's figures depend on no
 * later file, and are made again in the same way when it is read after a crash.
 */
export class LiveSpans {
  readonly texts = new TextIds()
  readonly origins = new OriginIds()
  readonly sealed: SealedRelatives
  /** Sums of sealed hours, which have the same numbers of texts and origins. */
  readonly kept: KeptHours
  private readonly keptSpans: number
  private readonly ring = new SpanRing()
  private readonly known = new KnownSpans(this.ring)
  private readonly grids: LiveGrids
  private readonly files: LiveFiles
  private readonly ledger: SpanLedger
  private readonly joiner: SpanJoiner
  /** Of consumers that wait for their commit. */
  private readonly linkKeys = new Map<number, LinkKeys>()
  /** Spans before this place are committed. */
  private confirmed = 0
  /** How many hold numbers of texts and origins that no span has yet. */
  private holders = 0

  /** At least `keptSpans` stay in memory after they were sealed, and at most `keptSumsBytes` of sums. */
  constructor(apdexOf: (gridId: string) => ApdexThresholds, keptSpans: number, keptSumsBytes = 0) {
    this.keptSpans = keptSpans
    this.kept = new KeptHours(this, keptSumsBytes)
    this.grids = new LiveGrids(apdexOf, this.texts)
    this.files = new LiveFiles(this.ring, this.grids)
    this.ledger = new SpanLedger(this.ring, this.files, this.grids)
    this.joiner = new SpanJoiner(this.ring, this.known, this.files, this.ledger)
    this.sealed = new SealedRelatives(this.ring, this.known, this.files, this.ledger, this.joiner)
  }

  grid(gridId: string): LiveGrid {
    return this.grids.of(gridId)
  }

  /** The spans that the Grid has by now are unknown to those that come. */
  forget(gridId: string): void {
    this.grids.forget(gridId)
  }

  /** Until the returned function is called, every number of a text or an origin stays what it is. */
  hold(): () => void {
    this.holders++
    return () => {
      this.holders--
    }
  }

  /** How many spans were added and not confirmed. */
  get unconfirmed(): number {
    let count = 0
    for (let place = this.confirmed; place < this.ring.end; place++) if (this.isPending(place >>> 0)) count++
    return count
  }

  /** Room for a span that waits for its commit: the caller fills it and calls `added`. */
  reserve(): Place {
    return this.ring.reserve()
  }

  /** `links` are those of a consumer. */
  added({ segment, row, id }: Place, isReceiving: boolean, hasParent: boolean, links: LinkKeys | undefined): void {
    segment.flags[row] = TAKEN | (isReceiving ? RECEIVES : 0) | (hasParent ? HAS_PARENT : 0)
    if (links) this.linkKeys.set(id, links)
    this.ring.advance()
  }

  /** The oldest so many that waited are committed, as the next rows of this file. */
  confirm(count: number, open: OpenFile): void {
    if (count === 0) return
    const file = this.files.get(open.number) ?? this.beginFile(open)
    for (let left = count; left > 0; this.confirmed++) {
      const id = this.confirmed >>> 0
      if (!this.isPending(id)) continue
      this.arrive(id, file)
      left--
    }
  }

  forgetUnconfirmed(): void {
    for (; this.confirmed < this.ring.end; this.confirmed++) {
      const id = this.confirmed >>> 0
      if (!this.isPending(id)) continue
      this.ring.segmentOf(id).flags[rowOf(id)] = 0
      this.linkKeys.delete(id)
    }
  }

  /** Undefined where a file has no spans. */
  file(number: number): LiveFile | undefined {
    return this.files.get(number)
  }

  /** The file is sealed, and nobody asks for its figures any more. */
  dropFile(number: number): void {
    this.files.drop(number)
  }

  /** A span of a file by its number among all. */
  span(id: number): { segment: Segment; row: number } {
    return { segment: this.ring.segmentOf(id), row: rowOf(id) }
  }

  segmentOf(id: number): Segment {
    return this.ring.segmentOf(id)
  }

  isCopy(segment: Segment, row: number): boolean {
    return hasFlag(segment, row, COPY)
  }

  private isPending(id: number): boolean {
    if (id === NONE) return false
    const flags = this.ring.segmentOf(id).flags[rowOf(id)] as number
    return (flags & (TAKEN | LOADED)) === TAKEN
  }

  private arrive(id: number, file: LiveFile): void {
    const segment = this.ring.segmentOf(id)
    const row = rowOf(id)
    segment.file[row] = file.number
    segment.row[row] = file.rows++
    if (this.known.find(segment.keyHigh[row] as number, segment.keyLow[row] as number) !== NONE) {
      addFlag(segment, row, COPY)
      this.linkKeys.delete(id)
      return
    }
    this.ledger.begin(segment, row)
    this.known.add(id, segment, row)
    this.joiner.joinParent(id, segment, row, file)
    this.joiner.joinChildren(id, segment, row, file)
    this.joiner.joinConsumers(id, segment, row, file)
    this.joinLinked(id, segment, row, file)
    this.ledger.count(id, segment, row, file)
  }

  private joinLinked(id: number, segment: Segment, row: number, file: LiveFile): void {
    const keys = this.linkKeys.get(id)
    if (!keys) return
    this.linkKeys.delete(id)
    const service = segment.service[row] as number
    for (const { high, low } of keys) this.joiner.joinLinked(high, low, service, file)
  }

  private beginFile(open: OpenFile): LiveFile {
    this.letGo()
    if (this.holders === 0 && (this.texts.isDueForSweep || this.origins.isDueForSweep)) this.sweep()
    return this.files.begin(open, this.confirmed)
  }

  /** How many are in memory. */
  get size(): number {
    return this.ring.end - this.ring.begin
  }

  /**
   * Lets go of the oldest spans that no file needs to have kept. One span that again and again has children must not keep all
   * that came after it: beyond a limit only the files' own spans stay.
   */
  private letGo(): void {
    const old = this.confirmed - this.keptSpans
    const needed = Math.min(old, this.files.keptFrom)
    const before = this.ring.end - needed > SPANS_MAX ? Math.min(old, this.files.ownFrom) : needed
    while (this.ring.dropBefore(before, (id, segment, row) => this.leave(id, segment, row)));
  }

  private leave(id: number, segment: Segment, row: number): void {
    if (!hasFlag(segment, row, TAKEN)) return
    this.known.leave(id, segment, row)
    this.ledger.forget(id)
  }

  /** Forgets texts and origins that no span and no file uses. */
  private sweep(): void {
    const texts = new Uint8Array(this.texts.end)
    const origins = new Uint8Array(this.origins.end)
    this.ring.markUsed(texts, origins)
    this.files.markUsed(texts, origins)
    this.ledger.markUsed(texts)
    this.kept.markUsed(texts, origins)
    for (const service of this.known.waitingLinks.services()) texts[service] = 1
    this.texts.sweep(texts)
    this.origins.sweep(origins)
    this.grids.forgetServices()
  }
}
