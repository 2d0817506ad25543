import type { Failures } from '../domain/failures.ts'
import { spanKindOf } from '../domain/span.ts'
import { rowsByTrace } from './rows-by-trace.ts'

/** The rows of failed spans that are an error each, and of those that are one together: innermost first. */
export interface SameErrors {
  alone: number[]
  together: number[][]
}

/**
 * Failed spans of one service by their rows, those together that are one error seen at several places: a span under another
 * one in the same trace. Spans that did not fail are not known here, so a span whose parent is missing is taken to be under
 * the failed request of its trace that it ran within.
 */
export function sameErrors(failures: Failures): SameErrors {
  const { alone, together } = rowsByTrace(failures)
  const parents = new Int32Array(failures.count).fill(NONE)
  for (const rows of together) findParents(failures, rows, parents)
  const ways = waysUp(together, parents)
  return { alone, together: together.flatMap((rows) => errorsOfTrace(failures, rows, ways)) }
}

/** No row. */
const NONE = -1

/** Of each row: the one at the top of its way up, and how far that is. */
interface WaysUp {
  outermost: Int32Array
  depth: Int32Array
}

function errorsOfTrace({ startsNs }: Failures, rows: number[], { outermost, depth }: WaysUp): number[][] {
  const innerFirst = (a: number, b: number) =>
    (depth[b] as number) - (depth[a] as number) || (startsNs[b] as number) - (startsNs[a] as number)
  const top = outermost[rows[0] as number]
  if (rows.every((row) => outermost[row] === top)) return [rows.sort(innerFirst)]
  const errors = new Map<number, number[]>()
  for (const row of rows) {
    const same = errors.get(outermost[row] as number)
    if (same) same.push(row)
    else errors.set(outermost[row] as number, [row])
  }
  return [...errors.values()].map((same) => same.sort(innerFirst))
}

function waysUp(traces: number[][], parents: Int32Array): WaysUp {
  const outermost = new Int32Array(parents.length).fill(NONE)
  const depth = new Int32Array(parents.length)
  for (const rows of traces)
    for (const row of rows) {
      const path: number[] = []
      let top = row
      for (; top !== NONE && outermost[top] === NONE; top = parents[top] as number) {
        path.push(top)
        // Parents that name each other in a circle end the way up where it began.
        outermost[top] = top
      }
      let above = path.includes(top) ? NONE : top
      for (let each = path.pop(); each !== undefined; each = path.pop()) {
        outermost[each] = above === NONE ? each : (outermost[above] as number)
        depth[each] = above === NONE ? 0 : (depth[above] as number) + 1
        above = each
      }
    }
  return { outermost, depth }
}

/** Puts the rows of a trace in order, outer ones first, and finds the one that each is under. */
function findParents(failures: Failures, rows: number[], found: Int32Array): void {
  const { startsNs, durationsNs, parents } = failures
  rows.sort(
    (a, b) =>
      (startsNs[a] as number) - (startsNs[b] as number) || (durationsNs[b] as number) - (durationsNs[a] as number),
  )
  const find = finderOf(failures, rows)
  const around = new Surrounding(failures)
  for (const row of rows) {
    const parent = parents[row] as number
    const entry = isEntry(failures, row)
    const named = parent === 0 ? undefined : find(parent)
    const above = named === undefined && !entry ? around.innermost(row) : named
    if (entry) around.nest(row)
    if (above !== undefined && above !== row) found[row] = above
  }
}

/** Few spans are found sooner by looking at each. */
function finderOf({ spans }: Failures, rows: number[]): (span: number) => number | undefined {
  if (rows.length <= 8) return (span) => rows.find((row) => spans[row] === span)
  const bySpan = new Map(rows.map((row) => [spans[row] as number, row]))
  return (span) => bySpan.get(span)
}

/** Where a trace enters the service: nothing of the service is above it, but by a direct parent. */
function isEntry({ kinds, parents }: Failures, row: number): boolean {
  const kind = spanKindOf(kinds[row] as number)
  return kind === 'SERVER' || kind === 'CONSUMER' || parents[row] === 0
}

/** Spans each of which ends no later than the one before it. */
class Surrounding {
  private readonly rows: number[] = []
  private readonly failures: Failures

  constructor(failures: Failures) {
    this.failures = failures
  }

  nest(row: number): void {
    while (this.rows.length > 0 && this.endOf(this.rows.at(-1) as number) < this.endOf(row)) this.rows.pop()
    this.rows.push(row)
  }

  /** The last one that ends no earlier than the span. */
  innermost(row: number): number | undefined {
    let low = 0
    let high = this.rows.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.endOf(this.rows[middle] as number) >= this.endOf(row)) low = middle + 1
      else high = middle
    }
    return this.rows[low - 1]
  }

  private endOf(row: number): number {
    const { startsNs, durationsNs } = this.failures
    return (startsNs[row] as number) + (durationsNs[row] as number)
  }
}
