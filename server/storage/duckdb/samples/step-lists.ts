import { GroupSums } from '../live/group-sums.ts'
import type { DrawnSpans } from './drawn-spans.ts'
import type { SpansBelow } from './spans-below.ts'

/** As few are sorted faster by hand. */
const FEW = 16

/** The operations of the same service's spans right below each span, as lists that have numbers: many spans have the same one. */
export class StepLists {
  private readonly drawn: DrawnSpans
  private readonly below: SpansBelow
  /** A list is known by the list without its last step, and that step; its number is one more than its place here. */
  private readonly lists = new GroupSums(1)
  /** For each operation the last span that was seen to have it as a step. */
  private readonly seenBelow: Int32Array
  private readonly steps: Uint32Array

  constructor(drawn: DrawnSpans, below: SpansBelow) {
    this.drawn = drawn
    this.below = below
    this.seenBelow = new Int32Array(drawn.names.texts.length).fill(-1)
    this.steps = new Uint32Array(drawn.names.texts.length)
  }

  /** 0 for the empty list. */
  numberOf(row: number): number {
    const { drawn, below, seenBelow, steps } = this
    let child = below.last(row)
    // As most spans are.
    if (child < 0) return 0
    let size = 0
    for (; child >= 0; child = below.before(child)) {
      const operation = drawn.operation[child] as number
      if (drawn.service[child] !== drawn.service[row] || seenBelow[operation] === row) continue
      seenBelow[operation] = row
      steps[size++] = operation
    }
    sort(steps, size)
    let list = 0
    for (let i = 0; i < size; i++) list = this.lists.at(list, steps[i] as number, 0, 0, 0) + 1
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

/** Sorts so many of the first. */
function sort(values: Uint32Array, count: number): void {
  if (count > FEW) values.subarray(0, count).sort()
  else
    for (let sorted = 1; sorted < count; sorted++) {
      const value = values[sorted] as number
      let place = sorted
      for (; place > 0 && (values[place - 1] as number) > value; place--) values[place] = values[place - 1] as number
      values[place] = value
    }
}
