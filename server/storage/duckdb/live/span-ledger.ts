import { ANSWERED, LOCAL_ROOT, REQUEST } from '../schema.ts'
import type { LiveFile } from './live-file.ts'
import type { LiveFiles } from './live-files.ts'
import type { LiveGrids } from './live-grids.ts'
import type { LiveHour } from './live-hour.ts'
import { addFlag, COPY, COUNTED, hasFlag, RECEIVES, removeFlag } from './span-flags.ts'
import { isCall, isEntry } from './span-kinds.ts'
import { rowOf, type Segment, type SpanRing } from './span-ring.ts'

/**
 * What spans count as: whose request one is, and whom a call reached. What is learned about a span that counts already goes to
 * the figures of `cause`, the file whose span taught it; it is undefined where the sums in the hour files say so already.
 */
export class SpanLedger {
  private readonly ring: SpanRing
  private readonly files: LiveFiles
  private readonly grids: LiveGrids
  /** Whom a call reached besides the first. */
  private readonly moreCallees = new Map<number, number[]>()

  constructor(ring: SpanRing, files: LiveFiles, grids: LiveGrids) {
    this.ring = ring
    this.files = files
    this.grids = grids
  }

  /** What a span is before its relatives are known. */
  begin(segment: Segment, row: number): void {
    const isRequest = isEntry(segment.kind[row] as number) && !hasFlag(segment, row, RECEIVES)
    segment.role[row] = LOCAL_ROOT | (isRequest ? REQUEST : 0)
    segment.callee[row] = 0
  }

  /** Counts a span of an open file, as what it is by now. */
  count(id: number, segment: Segment, row: number, file: LiveFile): void {
    addFlag(segment, row, COUNTED)
    segment.ownRole[row] = segment.role[row] as number
    segment.ownCallee[row] = segment.callee[row] as number
    const hour = this.files.hourOf(file, segment, row)
    hour.addSpan(id)
    this.addState(id, segment, row, hour, 1)
    this.correctMoreCalls(id, segment, row, hour, 1)
  }

  /** The open file's span is a copy of one that was sealed long ago: it counts no more. */
  markCopy(id: number): void {
    const file = this.files.openFileOf(id)
    const segment = this.ring.segmentOf(id)
    const row = rowOf(id)
    if (!file || hasFlag(segment, row, COPY)) return
    const hour = this.files.hourOf(file, segment, row)
    this.addState(id, segment, row, hour, -1)
    this.uncorrect(id, segment, row, hour)
    removeFlag(segment, row, COUNTED)
    addFlag(segment, row, COPY)
  }

  /** A span turned out not to be what these bits of its role say. */
  takeRole(id: number, taken: number, cause: LiveFile | undefined): void {
    const segment = this.ring.segmentOf(id)
    const row = rowOf(id)
    const before = segment.role[row] as number
    const role = before & ~taken
    segment.role[row] = role
    if (role === before || !cause || !hasFlag(segment, row, COUNTED)) return
    cause.keep(this.ring.placeOf(id))
    const hour = this.files.hourOf(cause, segment, row)
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
  answer(id: number, cause: LiveFile | undefined): void {
    const segment = this.ring.segmentOf(id)
    const row = rowOf(id)
    const before = segment.role[row] as number
    if ((before & ANSWERED) !== 0) return
    segment.role[row] = before | ANSWERED
    cause?.keep(this.ring.placeOf(id))
    if (segment.callee[row] !== 0 || !cause || !hasFlag(segment, row, COUNTED)) return
    this.changeCall(segment, row, false, 0, cause)
  }

  /** Another service took the call: as its child, or by a link. */
  reach(id: number, callee: number, isChild: boolean, cause: LiveFile | undefined): void {
    const segment = this.ring.segmentOf(id)
    const row = rowOf(id)
    if (!isCall(segment.kind[row] as number) || segment.service[row] === callee) return
    const before = segment.role[row] as number
    if (isChild) segment.role[row] = before | ANSWERED
    const first = segment.callee[row] as number
    if (first === callee || this.moreCallees.get(id)?.includes(callee)) return
    cause?.keep(this.ring.placeOf(id))
    const told = hasFlag(segment, row, COUNTED) ? cause : undefined
    if (first !== 0) {
      this.reachAnother(id, segment, row, callee, told)
      return
    }
    segment.callee[row] = callee
    if (told) this.changeCall(segment, row, (before & ANSWERED) !== 0, callee, told)
  }

  /** The span leaves the memory. */
  forget(id: number): void {
    this.moreCallees.delete(id)
  }

  /** Marks the numbers of texts that are known here alone. */
  markUsed(texts: Uint8Array): void {
    for (const callees of this.moreCallees.values()) for (const callee of callees) texts[callee] = 1
  }

  private reachAnother(id: number, segment: Segment, row: number, callee: number, told: LiveFile | undefined): void {
    const more = this.moreCallees.get(id)
    if (more) more.push(callee)
    else this.moreCallees.set(id, [callee])
    if (!told) return
    const hour = this.files.hourOf(told, segment, row)
    hour.countCall(segment, row, callee, true, 1)
    hour.correctCall(segment, row, callee, true, 1)
  }

  /** A call that had reached nobody has an answer, or a callee. */
  private changeCall(segment: Segment, row: number, wasAnswered: boolean, callee: number, cause: LiveFile): void {
    const hour = this.files.hourOf(cause, segment, row)
    hour.countCall(segment, row, 0, wasAnswered, -1)
    hour.countCall(segment, row, callee, true, 1)
    if (segment.file[row] === cause.number) {
      segment.ownRole[row] = segment.role[row] as number
      segment.ownCallee[row] = callee
      return
    }
    hour.correctCall(segment, row, 0, wasAnswered, -1)
    hour.correctCall(segment, row, callee, true, 1)
  }

  /** Adds what a span counts as by now, or takes it away. */
  private addState(id: number, segment: Segment, row: number, hour: LiveHour, n: number): void {
    const role = segment.role[row] as number
    hour.countRequest(segment, row, role, n, this.thresholdNs(segment, row))
    if (!isCall(segment.kind[row] as number)) return
    hour.countCall(segment, row, segment.callee[row] as number, (role & ANSWERED) !== 0, n)
    const more = this.moreCallees.get(id)
    if (more) for (const callee of more) hour.countCall(segment, row, callee, true, n)
  }

  /** A row has room for one callee: the others are corrections, also those that were known before it was counted. */
  private correctMoreCalls(id: number, segment: Segment, row: number, hour: LiveHour, n: number): void {
    const more = this.moreCallees.get(id)
    if (more) for (const callee of more) hour.correctCall(segment, row, callee, true, n)
  }

  /** Its row is not sealed: what corrected it must come to nothing. */
  private uncorrect(id: number, segment: Segment, row: number, hour: LiveHour): void {
    const role = segment.role[row] as number
    const ownRole = segment.ownRole[row] as number
    if ((role & ~ANSWERED) !== (ownRole & ~ANSWERED)) {
      hour.correctRequest(segment, row, role, -1)
      hour.correctRequest(segment, row, ownRole, 1)
    }
    const callee = segment.callee[row] as number
    const ownCallee = segment.ownCallee[row] as number
    if (callee !== ownCallee || (callee === 0 && ((role ^ ownRole) & ANSWERED) !== 0)) {
      hour.correctCall(segment, row, callee, (role & ANSWERED) !== 0, -1)
      hour.correctCall(segment, row, ownCallee, (ownRole & ANSWERED) !== 0, 1)
    }
    this.correctMoreCalls(id, segment, row, hour, -1)
  }

  private thresholdNs(segment: Segment, row: number): number {
    return this.grids.thresholdNs(segment.grid[row] as number, segment.service[row] as number)
  }
}
