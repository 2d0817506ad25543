import { GroupSums } from '../live/group-sums.ts'
import { CLIENT, CONSUMER, type DrawnSpans } from './drawn-spans.ts'
import type { SpansBelow } from './spans-below.ts'

/** Calls of the window, once for each other service that answered them, and the time that was lost in between. */
export class AnsweredCalls {
  size = 0
  /** By number of the way: caller and callee. */
  readonly ways = new GroupSums(1)
  readonly way: Uint32Array
  readonly call: Uint32Array
  readonly gapNs: Float64Array

  constructor(drawn: DrawnSpans, below: SpansBelow) {
    // None has more than one answer for each span below it.
    this.way = new Uint32Array(drawn.size)
    this.call = new Uint32Array(drawn.size)
    this.gapNs = new Float64Array(drawn.size)
    /** For each service the last answer that it gave, and one. */
    const lastOf = new Uint32Array(drawn.names.texts.length)
    for (let call = 0; call < drawn.size; call++) {
      if (drawn.kind[call] !== CLIENT || drawn.isInWindow[call] === 0) continue
      const first = this.size
      for (let row = below.last(call); row >= 0; row = below.before(row)) {
        const service = drawn.service[row] as number
        if (drawn.kind[row] === CONSUMER || service === drawn.service[call]) continue
        const gapNs = Math.max(0, (drawn.durationNs[call] as number) - (drawn.durationNs[row] as number))
        const known = (lastOf[service] as number) - 1
        // The longest answer leaves the shortest gap.
        if (known >= first) this.gapNs[known] = Math.min(this.gapNs[known] as number, gapNs)
        else lastOf[service] = this.add(this.ways.at(drawn.service[call] as number, service, 0, 0, 0), call, gapNs) + 1
      }
    }
  }

  private add(way: number, call: number, gapNs: number): number {
    this.way[this.size] = way
    this.call[this.size] = call
    this.gapNs[this.size] = gapNs
    return this.size++
  }
}
