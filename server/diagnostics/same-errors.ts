import type { Failures } from '../domain/failures.ts'
import { spanKindOf } from '../domain/span.ts'

/**
 * Failed spans of one service by their rows, those together that are one error seen at several places: a span under another
 * one in the same trace. Innermost first in each. Spans that did not fail are not known here, so a span whose parent is
 * missing is taken to be under the failed request of its trace that it ran within.
 */
export function sameErrors(failures: Failures): number[][] {
  const traces = rowsByTrace(failures)
  const related = traces.filter(({ length }) => length > 1)
  const parents = new Map(related.flatMap((rows) => parentsIn(failures, rows)))
  const errors = new Map<number, [row: number, depth: number][]>()
  for (const [row, { outermost, depth }] of placesOf(related.flat(), parents)) {
    const same = errors.get(outermost)
    if (same) same.push([row, depth])
    else errors.set(outermost, [[row, depth]])
  }
  const { startsNs } = failures
  const innerFirst = ([a, depthA]: [number, number], [b, depthB]: [number, number]) =>
    depthB - depthA || (startsNs[b] as number) - (startsNs[a] as number)
  return [
    ...traces.filter(({ length }) => length === 1),
    ...[...errors.values()].map((same) => same.sort(innerFirst).map(([row]) => row)),
  ]
}

function rowsByTrace({ count, traces }: Failures): number[][] {
  const byTrace = new Map<number, number[]>()
  for (let row = 0; row < count; row++) {
    const trace = traces[row] as number
    const rows = byTrace.get(trace)
    if (rows) rows.push(row)
    else byTrace.set(trace, [row])
  }
  return [...byTrace.values()]
}

interface Place {
  outermost: number
  depth: number
}

function placesOf(rows: number[], parents: Map<number, number>): Map<number, Place> {
  const places = new Map<number, Place>()
  for (const row of rows) {
    const path: number[] = []
    let top: number | undefined = row
    for (; top !== undefined && !places.has(top); top = parents.get(top)) {
      path.push(top)
      // Parents that name each other in a circle end the way up where it began.
      places.set(top, { outermost: top, depth: 0 })
    }
    let above = top !== undefined && !path.includes(top) ? places.get(top) : undefined
    for (const each of path.reverse()) {
      above = above ? { outermost: above.outermost, depth: above.depth + 1 } : { outermost: each, depth: 0 }
      places.set(each, above)
    }
  }
  return places
}

/** The failed spans of a trace that are under others, each with the one that it is under. */
function parentsIn(failures: Failures, rows: number[]): [row: number, above: number][] {
  const { startsNs, durationsNs, parents } = failures
  const find = finderOf(failures, rows)
  const around = new Surrounding(failures)
  const outerFirst = (a: number, b: number) =>
    (startsNs[a] as number) - (startsNs[b] as number) || (durationsNs[b] as number) - (durationsNs[a] as number)
  return rows.sort(outerFirst).flatMap((row): [number, number][] => {
    const parent = parents[row] as number
    const entry = isEntry(failures, row)
    const above = (parent === 0 ? undefined : find(parent)) ?? (entry ? undefined : around.innermost(row))
    if (entry) around.nest(row)
    return above !== undefined && above !== row ? [[row, above]] : []
  })
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
