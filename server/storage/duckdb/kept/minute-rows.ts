import { type Figure, isAbout, type Subject } from '../live/open-figures.ts'

/** What a row is: a span, or what corrects one among requests or calls. */
export const PARTS = { span: 0, request: 1, call: 2 } as const

const TWO_TO_32 = 4_294_967_296
/** With its place in three orders. */
const BYTES_PER_ROW = 57

let uses = 0

/** The sealed spans of one minute and what corrects them, as figures see them, by time. */
export class MinuteRows {
  /** Rows with a larger number were asked for later. */
  lastUse = ++uses
  readonly part: Uint8Array
  readonly intoHourNs: Float64Array
  readonly low: Uint32Array
  readonly high: Uint32Array
  readonly service: Uint32Array
  readonly operation: Uint32Array
  readonly origin: Uint32Array
  readonly called: Uint32Array
  readonly dependency: Uint32Array
  readonly callee: Uint32Array
  readonly kind: Uint8Array
  readonly status: Uint8Array
  readonly role: Uint8Array
  readonly n: Int8Array
  private readonly orders = new Map<Subject, Uint32Array>()

  constructor(rows: number) {
    this.part = new Uint8Array(rows)
    this.intoHourNs = new Float64Array(rows)
    this.low = new Uint32Array(rows)
    this.high = new Uint32Array(rows)
    this.service = new Uint32Array(rows)
    this.operation = new Uint32Array(rows)
    this.origin = new Uint32Array(rows)
    this.called = new Uint32Array(rows)
    this.dependency = new Uint32Array(rows)
    this.callee = new Uint32Array(rows)
    this.kind = new Uint8Array(rows)
    this.status = new Uint8Array(rows)
    this.role = new Uint8Array(rows)
    this.n = new Int8Array(rows)
  }

  get bytes(): number {
    return this.part.length * BYTES_PER_ROW
  }

  /** Those of `[startNs, endNs)` of the hour, with corrections; `figure` is filled anew for each. */
  each(subject: Subject, figure: Figure, startNs: number, endNs: number, each: () => void): void {
    this.lastUse = ++uses
    const isOfRequests = subject === 'requests'
    const order = this.orderOf(subject)
    for (let i = this.firstFrom(order, startNs); i < order.length; i++) {
      const row = order[i] as number
      figure.intoHourNs = this.intoHourNs[row] as number
      if (figure.intoHourNs >= endNs) return
      figure.low = this.low[row] as number
      figure.high = this.high[row] as number
      figure.durationNs = figure.high * TWO_TO_32 + figure.low
      figure.service = this.service[row] as number
      figure.operation = this.operation[row] as number
      figure.kind = this.kind[row] as number
      figure.status = this.status[row] as number
      figure.role = this.role[row] as number
      figure.n = this.n[row] as number
      // Requests are most of what is asked for, and know nothing of these.
      if (!isOfRequests) {
        figure.origin = this.origin[row] as number
        figure.called = this.called[row] as number
        figure.dependency = this.dependency[row] as number
        figure.callee = this.callee[row] as number
      }
      each()
    }
  }

  /** The rows that a subject is about, by time. */
  private orderOf(subject: Subject): Uint32Array {
    const known = this.orders.get(subject)
    if (known) return known
    const corrections = subject === 'calls' ? PARTS.call : PARTS.request
    const rows: number[] = []
    for (let row = 0; row < this.part.length; row++) {
      const isAsked = this.part[row] === PARTS.span || this.part[row] === corrections
      if (isAsked && isAbout(subject, this.kind[row] as number, this.role[row] as number)) rows.push(row)
    }
    const order = Uint32Array.from(rows)
    this.orders.set(subject, order)
    return order
  }

  private firstFrom(order: Uint32Array, startNs: number): number {
    let [low, high] = [0, order.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.intoHourNs[order[middle] as number] as number) < startNs) low = middle + 1
      else high = middle
    }
    return low
  }

  markUsed(texts: Uint8Array, origins: Uint8Array): void {
    for (const column of [this.service, this.operation, this.called, this.dependency, this.callee])
      for (const text of column) texts[text] = 1
    for (const origin of this.origin) origins[origin] = 1
  }
}
