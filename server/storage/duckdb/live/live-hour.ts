import { bucketOf } from '../../../domain/latencies.ts'
import { nsRangeOfHour } from '../layout.ts'
import { ANSWERED, LOCAL_ROOT, REQUEST } from '../schema.ts'
import { CORRECTION, CORRECTION_TEXTS, Corrections, smallWord } from './corrections.ts'
import { GroupSums } from './group-sums.ts'
import type { Segment } from './span-ring.ts'

const ROLES = REQUEST | LOCAL_ROOT
const TWO_TO_32 = 4_294_967_296
const FIRST_ROWS = 256
const ERROR = 2

/** Where each sum is in its row. Durations are added up as halves, which stay exact. */
export const REQUEST_COLUMNS = { requests: 0, errors: 1, low: 2, high: 3, satisfied: 4, tolerating: 5 } as const
export const CALL_COLUMNS = { calls: 0, errors: 1, low: 2, high: 3, unanswered: 4 } as const
export const ORIGIN_COLUMNS = { spans: 0, errors: 1, low: 2, high: 3 } as const

/**
 * What one open file adds to the figures of one hour of a Grid: sums by minute, the numbers of its own spans, and corrections of
 * spans that came in earlier files. Once a file takes no more rows, this changes no more.
 */
export class LiveHour {
  readonly gridId: string
  readonly hour: number
  /** By minute, kind and role in one word, service, operation. */
  readonly requests = new GroupSums(6)
  /** The same, and the bucket. */
  readonly latencies = new GroupSums(1)
  /** By minute and kind in one word, service, callee, called, dependency. */
  readonly calls = new GroupSums(5)
  /** By minute, kind and role in one word, origin. */
  readonly origins = new GroupSums(4)
  readonly requestCorrections = new Corrections()
  readonly callCorrections = new Corrections()
  ids = new Uint32Array(FIRST_ROWS)
  spans = 0
  /** When, since the hour began, the last of all spans began that any figure is about; -1 where there are none. */
  lastIntoHourNs = -1
  private readonly hourLow: number
  private readonly hourHigh: number

  constructor(gridId: string, hour: number) {
    this.gridId = gridId
    this.hour = hour
    const { firstNs } = nsRangeOfHour(hour)
    this.hourLow = Number(BigInt.asUintN(32, firstNs))
    this.hourHigh = Number(firstNs >> 32n)
  }

  addSpan(id: number): void {
    if (this.spans === this.ids.length) {
      const grown = new Uint32Array(this.ids.length * 2)
      grown.set(this.ids)
      this.ids = grown
    }
    this.ids[this.spans++] = id
  }

  /** Counts a span as a request or local root, or takes it away again; and among the spans of its origin either way. */
  countRequest(segment: Segment, row: number, role: number, n: number, thresholdNs: number): void {
    this.see(segment, row)
    const roles = role & ROLES
    const low = segment.durationHalves[row * 2] as number
    const high = segment.durationHalves[row * 2 + 1] as number
    const failed = segment.status[row] === ERROR
    const word = groupWord(segment.minute[row] as number, segment.kind[row] as number, roles)
    addSums(this.origins, this.origins.at(word, segment.origin[row] as number, 0, 0, 0), n, failed, low, high)
    if (roles === 0) return
    const service = segment.service[row] as number
    const operation = segment.operation[row] as number
    const at = this.requests.at(word, service, operation, 0, 0)
    addSums(this.requests, at, n, failed, low, high)
    const durationNs = high * TWO_TO_32 + low
    const { sums } = this.requests
    if (!failed && durationNs <= thresholdNs)
      sums[at + REQUEST_COLUMNS.satisfied] = (sums[at + REQUEST_COLUMNS.satisfied] as number) + n
    else if (!failed && durationNs <= 4 * thresholdNs)
      sums[at + REQUEST_COLUMNS.tolerating] = (sums[at + REQUEST_COLUMNS.tolerating] as number) + n
    const bucket = this.latencies.at(word, service, operation, bucketOf(durationNs), 0)
    this.latencies.sums[bucket] = (this.latencies.sums[bucket] as number) + n
  }

  countCall(segment: Segment, row: number, callee: number, answered: boolean, n: number): void {
    this.see(segment, row)
    const low = segment.durationHalves[row * 2] as number
    const high = segment.durationHalves[row * 2 + 1] as number
    const failed = segment.status[row] === ERROR
    const word = groupWord(segment.minute[row] as number, segment.kind[row] as number, 0)
    const names = [segment.called[row], segment.dependency[row]] as [number, number]
    const at = this.calls.at(word, segment.service[row] as number, callee, ...names)
    addSums(this.calls, at, n, failed, low, high)
    const { sums } = this.calls
    if (failed && callee === 0 && !answered)
      sums[at + CALL_COLUMNS.unanswered] = (sums[at + CALL_COLUMNS.unanswered] as number) + n
  }

  correctRequest(segment: Segment, row: number, role: number, n: number): void {
    this.correct(this.requestCorrections, segment, row, 0, role, n)
  }

  correctCall(segment: Segment, row: number, callee: number, answered: boolean, n: number): void {
    this.correct(this.callCorrections, segment, row, callee, answered ? ANSWERED : 0, n)
  }

  /** Marks the numbers of texts and origins that the figures name. */
  markUsed(texts: Uint8Array, origins: Uint8Array): void {
    for (const sums of [this.requests, this.latencies])
      for (let group = 0; group < sums.size; group++) for (const word of [1, 2]) texts[sums.key(group, word)] = 1
    for (let group = 0; group < this.calls.size; group++)
      for (const word of [1, 2, 3, 4]) texts[this.calls.key(group, word)] = 1
    for (let group = 0; group < this.origins.size; group++) origins[this.origins.key(group, 1)] = 1
    for (const corrections of [this.requestCorrections, this.callCorrections])
      for (let row = 0; row < corrections.size; row++) {
        for (const word of CORRECTION_TEXTS) texts[corrections.word(row, word)] = 1
        origins[corrections.word(row, CORRECTION.origin)] = 1
      }
  }

  /** When a span began, by the halves of its start, since the hour did. */
  intoHourNs(startLow: number, startHigh: number): number {
    return ((startHigh | 0) - this.hourHigh) * TWO_TO_32 + (startLow - this.hourLow)
  }

  private see({ startHalves }: Segment, row: number): void {
    const intoHourNs = this.intoHourNs(startHalves[row * 2] as number, startHalves[row * 2 + 1] as number)
    if (intoHourNs > this.lastIntoHourNs) this.lastIntoHourNs = intoHourNs
  }

  private correct(to: Corrections, segment: Segment, row: number, callee: number, role: number, n: number): void {
    const { words, at } = to.add()
    words[at + CORRECTION.startLow] = segment.startHalves[row * 2] as number
    words[at + CORRECTION.startHigh] = segment.startHalves[row * 2 + 1] as number
    words[at + CORRECTION.durationLow] = segment.durationHalves[row * 2] as number
    words[at + CORRECTION.durationHigh] = segment.durationHalves[row * 2 + 1] as number
    words[at + CORRECTION.service] = segment.service[row] as number
    words[at + CORRECTION.operation] = segment.operation[row] as number
    words[at + CORRECTION.origin] = segment.origin[row] as number
    words[at + CORRECTION.called] = segment.called[row] as number
    words[at + CORRECTION.dependency] = segment.dependency[row] as number
    words[at + CORRECTION.callee] = callee
    words[at + CORRECTION.small] = smallWord(segment.kind[row] as number, segment.status[row] as number, role, n)
  }
}

/** The first four columns are the same in all sums. */
function addSums(to: GroupSums, at: number, n: number, failed: boolean, low: number, high: number): void {
  const { sums } = to
  sums[at] = (sums[at] as number) + n
  if (failed) sums[at + 1] = (sums[at + 1] as number) + n
  sums[at + 2] = (sums[at + 2] as number) + n * low
  sums[at + 3] = (sums[at + 3] as number) + n * high
}

export function groupWord(minute: number, kind: number, role: number): number {
  return minute | (kind << 8) | (role << 16)
}

export function minuteOfWord(word: number): number {
  return word & 0xff
}

export function kindOfWord(word: number): number {
  return (word >>> 8) & 0xff
}

export function roleOfWord(word: number): number {
  return word >>> 16
}

/** A sum of durations from the sums of their halves. */
export function durationSum(low: number, high: number): bigint {
  return (BigInt(high) << 32n) + BigInt(low)
}

/** The same, as good as a number can tell it. */
export function durationNumber(low: number, high: number): number {
  return high * TWO_TO_32 + low
}
