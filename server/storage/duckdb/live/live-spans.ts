import { type ApdexThresholds, thresholdMsOf } from '../../../domain/apdex.ts'
import { seedsOf } from '../fingerprint.ts'
import type { OpenFile } from '../open-file.ts'
import { ANSWERED, LOCAL_ROOT, REQUEST } from '../schema.ts'
import { KeyMap } from './key-map.ts'
import { LiveFile } from './live-file.ts'
import type { LiveHour } from './live-hour.ts'
import { OriginIds } from './origin-ids.ts'
import { NONE, rowOf, type Segment, SpanRing } from './span-ring.ts'
import { TextIds } from './text-ids.ts'
import { WaitingLinks } from './waiting-links.ts'

const [SERVER, CLIENT, PRODUCER, CONSUMER] = [2, 3, 4, 5]

/** Bits of a span's flags. */
const TAKEN = 1
const RECEIVES = 2
const HAS_PARENT = 4
const COUNTED = 8
const WAITS = 16
/** It turned out to be a copy of a span that is sealed. */
const COPY = 32
/** It was read from an hour file, and never waited for a commit. */
const LOADED = 64

/** A Grid as its spans know it. */
export interface LiveGrid {
  index: number
  id: string
  seeds: Uint32Array
  thresholds: ApdexThresholds | undefined
  thresholdsNs: Map<number, number>
}

/** The halves of the fingerprints of the spans that a consumer links to. */
export type LinkKeys = { high: number; low: number }[]

/** A span to be kept: the caller fills the columns of `segment` at `row`. `links` are those of a consumer. */
export interface Place {
  segment: Segment
  row: number
  id: number
}

/**
 * The spans that came last, with what they are to each other: whose request a span is, and whom a call reached. Parents and
 * children are joined as they come, in whatever order, and every open file has its figures by then (`LiveHour`): what a span
 * teaches about one of an earlier file is a correction among the figures of its own file. So a file's figures depend on no
 * later file, and are made again in the same way when it is read after a crash.
 */
export class LiveSpans {
  readonly texts = new TextIds()
  readonly origins = new OriginIds()
  private readonly apdexOf: (gridId: string) => ApdexThresholds
  private readonly keptSpans: number
  private readonly ring = new SpanRing()
  /** The number of each span. */
  private readonly spans = new KeyMap()
  /** The first and the last of those that wait for a parent. */
  private readonly orphans = new KeyMap()
  private readonly waitingLinks = new WaitingLinks()
  private readonly linkKeys = new Map<number, LinkKeys>()
  /** Whom a call reached besides the first. */
  private readonly moreCallees = new Map<number, number[]>()
  private readonly files = new Map<number, LiveFile>()
  private readonly loading: number[] = []
  /** Where each file's spans began, also of those that are sealed. */
  private fileStarts: { number: number; place: number }[] = []
  private readonly grids = new Map<string, LiveGrid>()
  private readonly gridsByIndex: LiveGrid[] = []
  private changes = 0
  /** How many hold numbers of texts and origins that no span has yet. */
  private holders = 0
  /** Spans before this place are committed. */
  private confirmed = 0

  /** At least `keptSpans` stay in memory after they were sealed. */
  constructor(apdexOf: (gridId: string) => ApdexThresholds, keptSpans: number) {
    this.apdexOf = apdexOf
    this.keptSpans = keptSpans
  }

  grid(gridId: string): LiveGrid {
    const known = this.grids.get(gridId)
    if (known) return known
    const seeds = seedsOf(`live ${gridId} ${this.changes}`)
    const grid = { index: this.gridsByIndex.length, id: gridId, seeds, thresholds: undefined, thresholdsNs: new Map() }
    this.grids.set(gridId, grid)
    this.gridsByIndex.push(grid)
    return grid
  }

  /** The spans that are sealed are unknown from now on. */
  forget(gridId: string): void {
    this.changes++
    this.grids.delete(gridId)
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
    const id = this.ring.next
    return { segment: this.ring.reserve(), row: rowOf(id), id }
  }

  added({ segment, row, id }: Place, isReceiving: boolean, hasParent: boolean, links: LinkKeys | undefined): void {
    segment.flags[row] = TAKEN | (isReceiving ? RECEIVES : 0) | (hasParent ? HAS_PARENT : 0)
    if (links) this.linkKeys.set(id, links)
    this.ring.advance()
  }

  /** The oldest so many that waited are committed, as the next rows of this file. */
  confirm(count: number, open: OpenFile): void {
    if (count === 0) return
    const file = this.fileOf(open)
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
    this.files.delete(number)
  }

  /** A span of a file by its number among all. */
  span(id: number): { segment: Segment; row: number } {
    return { segment: this.ring.segmentOf(id), row: rowOf(id) }
  }

  segmentOf(id: number): Segment {
    return this.ring.segmentOf(id)
  }

  isCopy(segment: Segment, row: number): boolean {
    return ((segment.flags[row] as number) & COPY) !== 0
  }

  /** Room for a sealed span was filled: `finishLoading` makes it known, with others. */
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
  finishLoading(): void {
    const loaded = this.loading.splice(0).filter((id) => this.isUnknown(id))
    for (const id of loaded) this.enterSealed(id)
    for (const id of loaded) this.joinSealed(id)
    for (const id of loaded) this.joinLive(id)
  }

  abandonLoading(): void {
    for (const id of this.loading.splice(0)) this.ring.segmentOf(id).flags[rowOf(id)] = 0
  }

  /** A sealed consumer links to a span. */
  loadLink(high: number, low: number, service: number): void {
    const slot = this.spans.find(high, low)
    const id = slot < 0 ? undefined : this.spans.first(slot)
    if (id === undefined) this.waitingLinks.add(high, low, { service, file: 0 })
    else this.reach(id, service, false, this.liveFileOf(id))
  }

  /** A span that is known as sealed is not loaded again. */
  private isUnknown(id: number): boolean {
    const { segment, row } = this.span(id)
    const slot = this.spans.find(segment.keyHigh[row] as number, segment.keyLow[row] as number)
    if (slot < 0 || !this.isSealed(this.spans.first(slot))) return true
    segment.flags[row] = 0
    return false
  }

  private isSealed(id: number): boolean {
    const { segment, row } = this.span(id)
    const file = this.files.get(segment.file[row] as number)
    return !file || file.isSealed || file.sealedHours.has(this.hourOf(file, segment, row))
  }

  private enterSealed(id: number): void {
    const { segment, row } = this.span(id)
    const [high, low] = [segment.keyHigh[row] as number, segment.keyLow[row] as number]
    const known = this.spans.find(high, low)
    if (known >= 0) this.markCopy(this.spans.first(known))
    this.begin(id, segment, row)
    segment.flags[row] = (segment.flags[row] as number) | COUNTED
  }

  private joinSealed(id: number): void {
    const { segment, row } = this.span(id)
    const [high, low] = [segment.keyHigh[row] as number, segment.keyLow[row] as number]
    const parent = this.parentOf(segment, row)
    if (parent !== undefined && !this.liveFileOf(parent)) this.join(parent, id, undefined)
    this.eachOrphan(high, low, (child) => {
      if (!this.liveFileOf(child)) this.join(id, child, undefined)
    })
    for (const { service, file } of this.waitingLinks.of(high, low))
      if (!this.files.has(file)) this.reach(id, service, false, undefined)
  }

  private joinLive(id: number): void {
    const { segment, row } = this.span(id)
    const [high, low] = [segment.keyHigh[row] as number, segment.keyLow[row] as number]
    if (((segment.flags[row] as number) & HAS_PARENT) !== 0) {
      const parent = this.parentOf(segment, row)
      if (parent === undefined) this.wait(id, segment, row)
      else this.join(parent, id, this.liveFileOf(parent))
    }
    this.joinChildren(id, high, low, undefined)
    for (const { service, file } of this.waitingLinks.take(high, low))
      this.reach(id, service, false, this.files.get(file))
  }

  private parentOf(segment: Segment, row: number): number | undefined {
    if (((segment.flags[row] as number) & HAS_PARENT) === 0) return undefined
    const slot = this.spans.find(segment.parentHigh[row] as number, segment.parentLow[row] as number)
    return slot < 0 ? undefined : this.spans.first(slot)
  }

  private eachOrphan(high: number, low: number, each: (id: number) => void): void {
    const waiting = this.orphans.find(high, low)
    if (waiting < 0) return
    for (let child = this.orphans.first(waiting); child !== NONE; ) {
      each(child)
      child = this.ring.segmentOf(child).next[rowOf(child)] as number
    }
  }

  private isPending(id: number): boolean {
    if (id === NONE) return false
    const flags = this.ring.segmentOf(id).flags[rowOf(id)] as number
    return (flags & TAKEN) !== 0 && (flags & LOADED) === 0
  }

  private fileOf(open: OpenFile): LiveFile {
    const known = this.files.get(open.number)
    if (known) return known
    this.letGo()
    const wholeFrom = this.fileStarts.find(({ place }) => place >= this.ring.begin)?.number ?? open.number
    const file = new LiveFile(open, this.confirmed, this.ring.begin, wholeFrom)
    this.files.set(open.number, file)
    this.fileStarts.push({ number: open.number, place: this.confirmed })
    return file
  }

  /** Lets go of the oldest spans that no file needs to have kept. */
  private letGo(): void {
    const kept = [...this.files.values()].map(({ keptFrom }) => keptFrom)
    const before = Math.min(this.confirmed - this.keptSpans, ...kept)
    while (this.ring.dropBefore(before, (id, segment, row) => this.leave(id, segment, row)));
    this.fileStarts = this.fileStarts.filter(({ place }) => place >= this.ring.begin)
    if (this.holders === 0 && (this.texts.isDueForSweep || this.origins.isDueForSweep)) this.sweep()
  }

  private leave(id: number, segment: Segment, row: number): void {
    const flags = segment.flags[row] as number
    if ((flags & TAKEN) === 0) return
    const [high, low] = [segment.keyHigh[row] as number, segment.keyLow[row] as number]
    const slot = this.spans.find(high, low)
    if (slot >= 0 && this.spans.first(slot) === id) this.spans.remove(high, low)
    this.moreCallees.delete(id)
    if ((flags & WAITS) !== 0) this.leaveOrphans(id, segment, row)
  }

  /** Those that wait for the same parent are in the order in which they came: the oldest is the first. */
  private leaveOrphans(id: number, segment: Segment, row: number): void {
    const [high, low] = [segment.parentHigh[row] as number, segment.parentLow[row] as number]
    const slot = this.orphans.find(high, low)
    if (slot < 0 || this.orphans.first(slot) !== id) return
    const next = segment.next[row] as number
    if (next === NONE) this.orphans.remove(high, low)
    else this.orphans.put(high, low, next, this.orphans.second(slot))
  }

  private arrive(id: number, file: LiveFile): void {
    const { segment, row } = this.span(id)
    segment.file[row] = file.number
    segment.row[row] = file.rows++
    if (this.spans.find(segment.keyHigh[row] as number, segment.keyLow[row] as number) >= 0) {
      segment.flags[row] = (segment.flags[row] as number) | COPY
      return
    }
    this.enter(id, segment, row, file)
    this.linkTo(id, segment, row, file)
    segment.flags[row] = (segment.flags[row] as number) | COUNTED
    segment.ownRole[row] = segment.role[row] as number
    segment.ownCallee[row] = segment.callee[row] as number
    const hour = this.hourOf(file, segment, row)
    hour.addSpan(id)
    this.countState(id, segment, row, hour, 1)
    for (const callee of this.moreCallees.get(id) ?? []) hour.correctCall(segment, row, callee, true, 1)
  }

  /** Finds a span's relatives. What is learned about them goes to the figures of `cause`. */
  private enter(id: number, segment: Segment, row: number, cause: LiveFile): void {
    this.begin(id, segment, row)
    const [high, low] = [segment.keyHigh[row] as number, segment.keyLow[row] as number]
    if (((segment.flags[row] as number) & HAS_PARENT) !== 0) {
      const parent = this.parentOf(segment, row)
      if (parent === undefined) this.wait(id, segment, row)
      else this.join(parent, id, cause)
    }
    this.joinChildren(id, high, low, cause)
    const kind = segment.kind[row]
    if (kind !== CLIENT && kind !== PRODUCER) return
    for (const { service } of this.waitingLinks.take(high, low)) this.reach(id, service, false, cause)
  }

  /** What a span is before its relatives are known. */
  private begin(id: number, segment: Segment, row: number): void {
    const kind = segment.kind[row]
    const isRequest = (kind === SERVER || kind === CONSUMER) && ((segment.flags[row] as number) & RECEIVES) === 0
    segment.role[row] = LOCAL_ROOT | (isRequest ? REQUEST : 0)
    segment.callee[row] = 0
    this.spans.put(segment.keyHigh[row] as number, segment.keyLow[row] as number, id)
  }

  private wait(id: number, segment: Segment, row: number): void {
    const [high, low] = [segment.parentHigh[row] as number, segment.parentLow[row] as number]
    segment.next[row] = NONE
    segment.flags[row] = (segment.flags[row] as number) | WAITS
    const waiting = this.orphans.find(high, low)
    if (waiting < 0) {
      this.orphans.put(high, low, id, id)
      return
    }
    const last = this.orphans.second(waiting)
    this.ring.segmentOf(last).next[rowOf(last)] = id
    this.orphans.put(high, low, this.orphans.first(waiting), id)
  }

  private joinChildren(id: number, high: number, low: number, cause: LiveFile | undefined): void {
    const waiting = this.orphans.find(high, low)
    if (waiting < 0) return
    let child = this.orphans.first(waiting)
    this.orphans.remove(high, low)
    while (child !== NONE) {
      const { segment, row } = this.span(child)
      segment.flags[row] = (segment.flags[row] as number) & ~WAITS
      this.join(id, child, cause ?? this.liveFileOf(child))
      child = segment.next[row] as number
    }
  }

  private linkTo(id: number, segment: Segment, row: number, cause: LiveFile): void {
    const keys = this.linkKeys.get(id)
    if (!keys) return
    this.linkKeys.delete(id)
    const service = segment.service[row] as number
    for (const { high, low } of keys) {
      const slot = this.spans.find(high, low)
      if (slot < 0) this.waitingLinks.add(high, low, { service, file: cause.number })
      else this.reach(this.spans.first(slot), service, false, cause)
    }
  }

  private join(parentId: number, childId: number, cause: LiveFile | undefined): void {
    const parent = this.span(parentId)
    const child = this.span(childId)
    const parentKind = parent.segment.kind[parent.row] as number
    const service = child.segment.service[child.row] as number
    const isSame = parent.segment.service[parent.row] === service
    if (isSame) {
      const taken = LOCAL_ROOT | (parentKind === SERVER || parentKind === CONSUMER ? REQUEST : 0)
      this.takeRole(childId, taken, cause)
    }
    if (parentKind !== CLIENT && parentKind !== PRODUCER) return
    if (isSame) this.answer(parentId, cause)
    else this.reach(parentId, service, true, cause)
  }

  private takeRole(id: number, taken: number, cause: LiveFile | undefined): void {
    const { segment, row } = this.span(id)
    const before = segment.role[row] as number
    const role = before & ~taken
    segment.role[row] = role
    if (role === before || !this.isCounted(segment, row) || !cause) return
    const hour = this.hourOf(cause, segment, row)
    const thresholdNs = this.thresholdNs(segment, row)
    hour.countRequest(segment, row, before, -1, thresholdNs)
    hour.countRequest(segment, row, role, 1, thresholdNs)
    if (segment.file[row] === cause.number) {
      segment.ownRole[row] = role
      return
    }
    hour.correctRequest(segment, row, before, -1)
    hour.correctRequest(segment, row, role, 1)
  }

  /** A span of the call's own service stands below it. */
  private answer(id: number, cause: LiveFile | undefined): void {
    const { segment, row } = this.span(id)
    const before = segment.role[row] as number
    if ((before & ANSWERED) !== 0) return
    segment.role[row] = before | ANSWERED
    if (segment.callee[row] !== 0 || !this.isCounted(segment, row) || !cause) return
    this.changeCall(segment, row, cause, 0, false, 0)
  }

  /** Another service took the call: as its child, or by a link. */
  private reach(id: number, callee: number, isChild: boolean, cause: LiveFile | undefined): void {
    const { segment, row } = this.span(id)
    const kind = segment.kind[row]
    if ((kind !== CLIENT && kind !== PRODUCER) || segment.service[row] === callee) return
    const before = segment.role[row] as number
    if (isChild) segment.role[row] = before | ANSWERED
    const first = segment.callee[row] as number
    const more = this.moreCallees.get(id)
    if (first === callee || more?.includes(callee)) return
    const isNews = this.isCounted(segment, row) && cause !== undefined
    if (first === 0) {
      segment.callee[row] = callee
      if (isNews) this.changeCall(segment, row, cause, 0, (before & ANSWERED) !== 0, callee)
      return
    }
    if (more) more.push(callee)
    else this.moreCallees.set(id, [callee])
    if (!isNews) return
    const hour = this.hourOf(cause, segment, row)
    hour.countCall(segment, row, callee, true, 1)
    hour.correctCall(segment, row, callee, true, 1)
  }

  private changeCall(
    segment: Segment,
    row: number,
    cause: LiveFile,
    before: number,
    wasAnswered: boolean,
    callee: number,
  ): void {
    const hour = this.hourOf(cause, segment, row)
    hour.countCall(segment, row, before, wasAnswered, -1)
    hour.countCall(segment, row, callee, true, 1)
    if (segment.file[row] === cause.number) {
      segment.ownRole[row] = segment.role[row] as number
      segment.ownCallee[row] = callee
      return
    }
    hour.correctCall(segment, row, before, wasAnswered, -1)
    hour.correctCall(segment, row, callee, true, 1)
  }

  /** Adds what a span counts as by now, or takes it away. */
  private countState(id: number, segment: Segment, row: number, hour: LiveHour, n: number): void {
    const role = segment.role[row] as number
    hour.countRequest(segment, row, role, n, this.thresholdNs(segment, row))
    const kind = segment.kind[row]
    if (kind !== CLIENT && kind !== PRODUCER) return
    hour.countCall(segment, row, segment.callee[row] as number, (role & ANSWERED) !== 0, n)
    for (const callee of this.moreCallees.get(id) ?? []) hour.countCall(segment, row, callee, true, n)
  }

  /** The span of an open file is one that was sealed long ago: it counts no more. */
  private markCopy(id: number): void {
    const file = this.liveFileOf(id)
    const { segment, row } = this.span(id)
    if (!file || this.isCopy(segment, row)) return
    const hour = this.hourOf(file, segment, row)
    this.countState(id, segment, row, hour, -1)
    this.uncorrect(id, segment, row, hour)
    segment.flags[row] = ((segment.flags[row] as number) & ~COUNTED) | COPY
  }

  /** Its row is not sealed: what corrected it must come to nothing. */
  private uncorrect(id: number, segment: Segment, row: number, hour: LiveHour): void {
    const [role, ownRole] = [segment.role[row] as number, segment.ownRole[row] as number]
    if ((role & ~ANSWERED) !== (ownRole & ~ANSWERED)) {
      hour.correctRequest(segment, row, role, -1)
      hour.correctRequest(segment, row, ownRole, 1)
    }
    const [callee, ownCallee] = [segment.callee[row] as number, segment.ownCallee[row] as number]
    if (callee !== ownCallee || (callee === 0 && ((role ^ ownRole) & ANSWERED) !== 0)) {
      hour.correctCall(segment, row, callee, (role & ANSWERED) !== 0, -1)
      hour.correctCall(segment, row, ownCallee, (ownRole & ANSWERED) !== 0, 1)
    }
    for (const more of this.moreCallees.get(id) ?? []) hour.correctCall(segment, row, more, true, -1)
  }

  private isCounted(segment: Segment, row: number): boolean {
    return ((segment.flags[row] as number) & COUNTED) !== 0
  }

  /** The open file that a span came in, if its figures are not sealed yet. */
  private liveFileOf(id: number): LiveFile | undefined {
    const { segment, row } = this.span(id)
    const file = this.files.get(segment.file[row] as number)
    return file?.isSealed ? undefined : file
  }

  private hourOf(file: LiveFile, segment: Segment, row: number): LiveHour {
    const grid = this.gridsByIndex[segment.grid[row] as number] as LiveGrid
    return file.hour(grid.id, segment.hour[row] as number)
  }

  /** T of the Apdex formula. */
  private thresholdNs(segment: Segment, row: number): number {
    const grid = this.gridsByIndex[segment.grid[row] as number] as LiveGrid
    const thresholds = this.apdexOf(grid.id)
    if (grid.thresholds !== thresholds) {
      grid.thresholds = thresholds
      grid.thresholdsNs.clear()
    }
    const service = segment.service[row] as number
    const known = grid.thresholdsNs.get(service)
    if (known !== undefined) return known
    const ns = thresholdMsOf(thresholds, this.texts.text(service)) * 1e6
    grid.thresholdsNs.set(service, ns)
    return ns
  }

  /** Forgets texts and origins that no span and no file uses. */
  private sweep(): void {
    const texts = new Uint8Array(this.texts.end)
    const origins = new Uint8Array(this.origins.end)
    for (const { segment, rows } of this.ring.all())
      for (let row = 0; row < rows; row++) {
        for (const column of [
          segment.service,
          segment.operation,
          segment.called,
          segment.dependency,
          segment.callee,
          segment.ownCallee,
        ])
          texts[column[row] as number] = 1
        origins[segment.origin[row] as number] = 1
      }
    for (const callees of this.moreCallees.values()) for (const callee of callees) texts[callee] = 1
    for (const service of this.waitingLinks.services()) texts[service] = 1
    for (const file of this.files.values()) for (const hour of file.hours()) hour.markUsed(texts, origins)
    this.texts.sweep(texts)
    this.origins.sweep(origins)
    for (const { thresholdsNs } of this.gridsByIndex) thresholdsNs.clear()
  }
}
