import { GroupSums } from '../live/group-sums.ts'
import type { DrawnSpans } from './drawn-spans.ts'
import type { SpansBelow } from './spans-below.ts'

/** The operations of the same service's spans right below each span, as lists that have numbers: many spans have the same one. */
export class StepLists {
  private readonly drawn: DrawnSpans
  private readonly below: SpansBelow
  /** A list is known by the list without its last step, and that step; its number is one more than its place here. */
  private readonly lists = new GroupSums(1)
  /** For each operation the last span that was seen to have it as a step. */
  private readonly seenBelow: Int32Array
  private readonly steps: number[] = []

  constructor(drawn: DrawnSpans, below: SpansBelow) {
    this.drawn = drawn
    this.below = below
    this.seenBelow = new Int32Array(drawn.names.texts.length).fill(-1)
  }

  /** 0 for the empty list. */
  numberOf(row: number): number {
    const { drawn, below, seenBelow, steps } = this
    let child = below.last(row)
    // As most spans are.
    if (child < 0) return 0
    steps.length = 0
    for (; child >= 0; child = below.before(child)) {
      const operation = drawn.operation[child] as number
      if (drawn.service[child] !== drawn.service[row] || seenBelow[operation] === row) continue
      seenBelow[operation] = row
      steps.push(operation)
    }
    if (steps.length > 1) steps.sort((a, b) => a - b)
    let list = 0
    for (const step of steps) list = this.lists.at(list, step, 0, 0, 0) + 1
    return list
  }

  /** Sorted by name. */
  namesOf(list: number): string[] {
    const names: string[] = []
    for (let rest = list; rest > 0; rest = this.lists.key(rest - 1, 0))
      names.push(this.drawn.names.text(this.lists.key(rest - 1, 1)))
    return names.sort((a, b) => (a < b ? -1 : 1))
  }
}
