import type { Random } from './random.ts'

export const USER_COUNT = 20_000
const FACTORS = 4096
const TWO_TO_32 = 4_294_967_296

/** When the traces of a window happen. */
export interface WindowTime {
  baseNs: bigint
  lengthNs: number
}

/** What is particular to one sending of a window: the ids, users and times of its traces and spans. */
export class FilledWindow {
  readonly traceIds: Uint32Array
  readonly spanIds: Uint32Array
  readonly users: Uint16Array
  /** Since the window's base. */
  readonly traceStartNs: Float64Array
  /** How much longer than planned everything in a trace takes. */
  readonly slowness: Float64Array
  private readonly factors: Float64Array
  private baseLow = 0
  private baseHigh = 0

  constructor(random: Random, tracesMax: number, spanCount: number) {
    this.traceIds = new Uint32Array(tracesMax * 4)
    this.spanIds = new Uint32Array(spanCount * 2)
    this.users = new Uint16Array(tracesMax)
    this.traceStartNs = new Float64Array(tracesMax)
    this.slowness = new Float64Array(tracesMax)
    this.factors = Float64Array.from({ length: FACTORS }, () => Math.min(random.logNormal(1, 0.4), 4))
  }

  fill(random: Random, { baseNs, lengthNs }: WindowTime): void {
    this.baseLow = Number(baseNs & 0xffffffffn)
    this.baseHigh = Number(baseNs >> 32n)
    const { traceIds, spanIds, users, traceStartNs, slowness, factors } = this
    for (let i = 0; i < traceIds.length; i++) traceIds[i] = random.uint32()
    for (let i = 0; i < spanIds.length; i++) spanIds[i] = random.uint32()
    for (let i = 0; i < users.length; i++) {
      // A few users are seen often and most of them rarely.
      const unit = random.unit()
      users[i] = Math.floor(USER_COUNT * unit * unit)
      traceStartNs[i] = random.unit() * lengthNs
      slowness[i] = (factors[random.below(FACTORS)] as number) * (1 + random.unit() / 1024)
    }
  }

  /** Writes a time that lies so far after the window's base, as nanoseconds since the epoch. */
  writeTime(view: DataView, at: number, sinceBaseNs: number): void {
    const low = this.baseLow + Math.floor(sinceBaseNs)
    const carry = Math.floor(low / TWO_TO_32)
    view.setUint32(at, low - carry * TWO_TO_32, true)
    view.setUint32(at + 4, this.baseHigh + carry, true)
  }
}
