import { spanKindOf } from '../../../domain/span.ts'
import type { TimeWindow } from '../../../domain/time-window.ts'
import type { CallGaps, DrawnLimits, DrawnTraces, SpanShape } from '../../diagnostics-reader.ts'
import { GroupSums } from '../live/group-sums.ts'
import type { Scope } from '../scope/scope.ts'
import { type DrawnSpans, drawSpans } from './drawn-spans.ts'

/** As spans are stored: calls, what sends messages, and what takes them. */
const CLIENT = 3
const PRODUCER = 4
const CONSUMER = 5

export async function drawnTraces(
  scope: Scope,
  window: TimeWindow,
  oneTraceIn: number,
  { shapesMax, gapsPerMinute }: DrawnLimits,
): Promise<DrawnTraces> {
  const drawn = await drawSpans(scope, window, oneTraceIn)
  return { shapes: shapesOf(drawn, shapesMax), gaps: gapsOf(drawn, gapsPerMinute) }
}

function shapesOf(drawn: DrawnSpans, limit: number): SpanShape[] {
  const steps = new StepLists(drawn)
  const shapes = new GroupSums(2)
  for (let row = 0; row < drawn.size; row++) {
    const kind = drawn.kind[row] as number
    if (drawn.isInWindow[row] === 0 || kind === CLIENT || kind === PRODUCER) continue
    const [service, operation] = [drawn.service[row] as number, drawn.operation[row] as number]
    const at = shapes.at(service, operation, knownKind(kind), (drawn.minute[row] as number) >>> 0, steps.numberOf(row))
    const count = shapes.sums[at] as number
    if (count === 0 || drawn.isBefore(row, shapes.sums[at + 1] as number)) shapes.sums[at + 1] = row
    shapes.sums[at] = count + 1
  }
  return mostCommon(shapes, limit).map((group) => ({
    serviceName: drawn.names.text(shapes.key(group, 0)),
    operationName: drawn.names.text(shapes.key(group, 1)),
    kind: spanKindOf(shapes.key(group, 2)),
    minuteNs: drawn.minuteNs(shapes.key(group, 3) | 0),
    steps: steps.list(shapes.key(group, 4)),
    spanCount: shapes.sum(group, 0),
    traceId: drawn.traceIdOf(shapes.sum(group, 1)),
  }))
}

/** Numbers that mean nothing are read as internal. */
function knownKind(kind: number): number {
  return kind >= 2 && kind <= 5 ? kind : 1
}

function mostCommon(shapes: GroupSums, limit: number): number[] {
  const groups = Array.from({ length: shapes.size }, (_, group) => group)
  if (groups.length <= limit) return groups
  return groups.sort((a, b) => shapes.sum(b, 0) - shapes.sum(a, 0)).slice(0, limit)
}

/** The operations of the same service's spans right below each span; many spans have the same ones. */
class StepLists {
  private readonly drawn: DrawnSpans
  private readonly lists: string[][] = [[]]
  private readonly numbers = new Map<string, number>()
  /** The last span below each and the one before it, or -1. */
  private readonly last: Int32Array
  private readonly before: Int32Array

  constructor(drawn: DrawnSpans) {
    this.drawn = drawn
    this.last = new Int32Array(drawn.size).fill(-1)
    this.before = new Int32Array(drawn.size).fill(-1)
    for (let row = 0; row < drawn.size; row++) {
      const parent = drawn.parent[row] as number
      if (parent < 0 || drawn.service[parent] !== drawn.service[row]) continue
      this.before[row] = this.last[parent] as number
      this.last[parent] = row
    }
  }

  numberOf(row: number): number {
    // As most spans are.
    if (this.last[row] === -1) return 0
    const operations: number[] = []
    for (let below = this.last[row] as number; below >= 0; below = this.before[below] as number)
      operations.push(this.drawn.operation[below] as number)
    const distinct = operations.sort((a, b) => a - b).filter((operation, i) => operation !== operations[i - 1])
    const key = distinct.join(' ')
    const known = this.numbers.get(key)
    if (known !== undefined) return known
    const names = distinct.map((operation) => this.drawn.names.text(operation))
    const number = this.lists.push(names.sort((a, b) => (a < b ? -1 : 1))) - 1
    this.numbers.set(key, number)
    return number
  }

  list(number: number): string[] {
    return this.lists[number] as string[]
  }
}

/** A call and one of those that answered it. */
interface Gap {
  call: number
  gapNs: number
  lot: number
}

function gapsOf(drawn: DrawnSpans, perMinute: number): CallGaps[] {
  const answers = longestAnswers(drawn)
  /** By source, target and minute. */
  const ways = new GroupSums(1)
  const gaps: Gap[][] = []
  for (let answer = 0; answer < answers.size; answer++) {
    const call = answers.key(answer, 0)
    const minute = (drawn.minute[call] as number) >>> 0
    const way = ways.at(drawn.service[call] as number, answers.key(answer, 1), minute, 0, 0)
    const gapNs = Math.max(0, (drawn.durationNs[call] as number) - (answers.sum(answer, 0) - 1))
    const gap = { call, gapNs, lot: lotOf(drawn, call) }
    const known = gaps[way]
    if (known) known.push(gap)
    else gaps[way] = [gap]
  }
  return gaps.map((found, way) => {
    const longest = found.reduce((a, b) =>
      b.gapNs > a.gapNs || (b.gapNs === a.gapNs && drawn.isBefore(b.call, a.call)) ? b : a,
    )
    const some = found.length <= perMinute ? found : found.sort((a, b) => a.lot - b.lot).slice(0, perMinute)
    return {
      sourceName: drawn.names.text(ways.key(way, 0)),
      targetName: drawn.names.text(ways.key(way, 1)),
      minuteNs: drawn.minuteNs(ways.key(way, 2) | 0),
      callCount: found.length,
      gapsNs: some.map(({ gapNs }) => gapNs).sort((a, b) => a - b),
      traceId: drawn.traceIdOf(longest.call),
    }
  })
}

/** By call and service: how long the longest of its spans right below the call took, and 1, so that 0 means none. */
function longestAnswers(drawn: DrawnSpans): GroupSums {
  const answers = new GroupSums(1)
  for (let row = 0; row < drawn.size; row++) {
    const call = drawn.parent[row] as number
    if (call < 0 || drawn.kind[row] === CONSUMER || drawn.kind[call] !== CLIENT || drawn.isInWindow[call] === 0)
      continue
    if (drawn.service[call] === drawn.service[row]) continue
    const at = answers.at(call, drawn.service[row] as number, 0, 0, 0)
    answers.sums[at] = Math.max(answers.sums[at] as number, (drawn.durationNs[row] as number) + 1)
  }
  return answers
}

/** The same for a call wherever it lies, and as if by chance. */
function lotOf({ traces, trace, durationNs }: DrawnSpans, call: number): number {
  const word = traces.key(trace[call] as number, 3) ^ traces.key(trace[call] as number, 2)
  return Math.imul(word ^ ((durationNs[call] as number) | 0), 0x9e3779b1) >>> 0
}
