import { bucketOf } from '../../../domain/latencies.ts'
import { GroupSums } from '../live/group-sums.ts'
import type { Subject } from '../live/open-figures.ts'

const TWO_TO_32 = 4_294_967_296
/** When it began, how long it took, how much it counts, and of which group it is. */
const BYTES_PER_ROW = 21

type Place = 'service' | 'operation' | 'origin' | 'called' | 'dependency' | 'callee'

/** What is known of a row, by what it is asked for: a minute may have very many. */
export const PLACES: Record<Subject, Place[]> = {
  requests: ['service', 'operation'],
  calls: ['service', 'called', 'dependency', 'callee'],
  spans: ['origin'],
}

/** Rows `[first, end)`. */
export interface RowRange {
  first: number
  end: number
}

/** What the rows of a group have in common; `places` are as `PLACES` has them, and 0 behind. */
interface RowGroup {
  kind: number
  status: number
  role: number
  places: [number, number, number, number]
}

/** What rows of one group add up to: durations as halves. */
interface RowSums {
  count: number
  low: number
  high: number
}

let uses = 0

/**
 * The sealed spans of one minute that a subject is about, and what corrects them: by time. Rows that differ in nothing but their
 * times are of one group, which is looked up when they are read: a question then adds up numbers.
 */
export class MinuteRows {
  /** Rows with a larger number were asked for later. */
  lastUse = ++uses
  readonly size: number
  readonly intoHourNs: Float64Array
  readonly low: Uint32Array
  readonly high: Uint32Array
  readonly n: Int8Array
  readonly group: Uint32Array
  /** How long each took, of requests. */
  readonly bucket: Uint16Array
  private readonly groups = new GroupSums(1)
  private readonly subject: Subject

  constructor(subject: Subject, size: number) {
    this.subject = subject
    this.size = size
    this.intoHourNs = new Float64Array(size)
    this.low = new Uint32Array(size)
    this.high = new Uint32Array(size)
    this.n = new Int8Array(size)
    this.group = new Uint32Array(size)
    this.bucket = new Uint16Array(subject === 'requests' ? size : 0)
  }

  get bytes(): number {
    return this.size * BYTES_PER_ROW + this.bucket.byteLength + this.groups.bytes
  }

  get groupCount(): number {
    return this.groups.size
  }

  /** To be called for every row once its times are set. */
  setGroup(row: number, kind: number, status: number, role: number, [a, b, c, d]: number[]): void {
    this.group[row] = this.groups.at(kind | (status << 8) | (role << 16), a ?? 0, b ?? 0, c ?? 0, d ?? 0)
    if (this.subject === 'requests') this.bucket[row] = bucketOf(this.durationNs(row))
  }

  groupOf(group: number): RowGroup {
    const word = (index: number) => this.groups.key(group, index)
    const small = word(0)
    return {
      kind: small & 0xff,
      status: (small >>> 8) & 0xff,
      role: small >>> 16,
      places: [word(1), word(2), word(3), word(4)],
    }
  }

  durationNs(row: number): number {
    return (this.high[row] as number) * TWO_TO_32 + (this.low[row] as number)
  }

  /** Those that began in `[startNs, endNs)` of the hour. */
  between(startNs: number, endNs: number): RowRange {
    this.lastUse = ++uses
    return { first: this.firstFrom(startNs), end: this.firstFrom(endNs) }
  }

  /** Tells what the rows add up to, by group. */
  addUp({ first, end }: RowRange, each: (group: number, sums: RowSums) => void): void {
    const { group, n, low, high } = this
    const added = new Float64Array(this.groupCount * 3)
    for (let row = first; row < end; row++) {
      const at = (group[row] as number) * 3
      const count = n[row] as number
      added[at] = (added[at] as number) + count
      added[at + 1] = (added[at + 1] as number) + count * (low[row] as number)
      added[at + 2] = (added[at + 2] as number) + count * (high[row] as number)
    }
    for (let at = 0; at < added.length; at += 3) {
      const [count, lowSum, highSum] = [added[at] as number, added[at + 1] as number, added[at + 2] as number]
      if (count !== 0 || lowSum !== 0 || highSum !== 0) each(at / 3, { count, low: lowSum, high: highSum })
    }
  }

  /** How many rows of each group took no longer than it may, by group. */
  countWithin({ first, end }: RowRange, limitsNs: Float64Array): Float64Array {
    const { group, n } = this
    const counts = new Float64Array(this.groupCount)
    for (let row = first; row < end; row++) {
      const of = group[row] as number
      if (this.durationNs(row) <= (limitsNs[of] as number)) counts[of] = (counts[of] as number) + (n[row] as number)
    }
    return counts
  }

  markUsed(texts: Uint8Array, origins: Uint8Array): void {
    for (const [i, place] of PLACES[this.subject].entries()) {
      const used = place === 'origin' ? origins : texts
      for (let group = 0; group < this.groupCount; group++) used[this.groups.key(group, i + 1)] = 1
    }
  }

  private firstFrom(startNs: number): number {
    let [low, high] = [0, this.size]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.intoHourNs[middle] as number) < startNs) low = middle + 1
      else high = middle
    }
    return low
  }
}
