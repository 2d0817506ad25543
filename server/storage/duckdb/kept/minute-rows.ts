import type { Figure, Subject } from '../live/open-figures.ts'

const TWO_TO_32 = 4_294_967_296
/** When it began, how long it took, and four small numbers. */
const COMMON_BYTES_PER_ROW = 20
const PLACE_BYTES = 4

type Place = 'service' | 'operation' | 'origin' | 'called' | 'dependency' | 'callee'

/** What is known of a row, by what it is asked for: a minute may have very many. */
export const PLACES: Record<Subject, Place[]> = {
  requests: ['service', 'operation'],
  calls: ['service', 'called', 'dependency', 'callee'],
  spans: ['origin'],
}

let uses = 0

/** The sealed spans of one minute that a subject is about, and what corrects them, as figures see them: by time. */
export class MinuteRows {
  /** Rows with a larger number were asked for later. */
  lastUse = ++uses
  readonly intoHourNs: Float64Array
  readonly low: Uint32Array
  readonly high: Uint32Array
  readonly kind: Uint8Array
  readonly status: Uint8Array
  readonly role: Uint8Array
  readonly n: Int8Array
  /** As `PLACES` has them. */
  readonly places: Uint32Array[]
  private readonly subject: Subject

  constructor(subject: Subject, rows: number) {
    this.subject = subject
    this.intoHourNs = new Float64Array(rows)
    this.low = new Uint32Array(rows)
    this.high = new Uint32Array(rows)
    this.kind = new Uint8Array(rows)
    this.status = new Uint8Array(rows)
    this.role = new Uint8Array(rows)
    this.n = new Int8Array(rows)
    this.places = PLACES[subject].map(() => new Uint32Array(rows))
  }

  get bytes(): number {
    return this.n.length * (COMMON_BYTES_PER_ROW + this.places.length * PLACE_BYTES)
  }

  /** Those of `[startNs, endNs)` of the hour, with corrections; `figure` is filled anew for each, as far as its subject goes. */
  each(figure: Figure, startNs: number, endNs: number, each: () => void): void {
    this.lastUse = ++uses
    const { intoHourNs, low, high, kind, status, role, n } = this
    const names = PLACES[this.subject]
    for (let row = this.firstFrom(startNs); row < n.length; row++) {
      figure.intoHourNs = intoHourNs[row] as number
      if (figure.intoHourNs >= endNs) return
      figure.low = low[row] as number
      figure.high = high[row] as number
      figure.durationNs = figure.high * TWO_TO_32 + figure.low
      figure.kind = kind[row] as number
      figure.status = status[row] as number
      figure.role = role[row] as number
      figure.n = n[row] as number
      for (let place = 0; place < names.length; place++)
        figure[names[place] as Place] = (this.places[place] as Uint32Array)[row] as number
      each()
    }
  }

  private firstFrom(startNs: number): number {
    let [low, high] = [0, this.intoHourNs.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.intoHourNs[middle] as number) < startNs) low = middle + 1
      else high = middle
    }
    return low
  }

  markUsed(texts: Uint8Array, origins: Uint8Array): void {
    for (const [i, column] of this.places.entries()) {
      const used = PLACES[this.subject][i] === 'origin' ? origins : texts
      for (const number of column) used[number] = 1
    }
  }
}
