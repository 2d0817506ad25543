import type { Failures } from '../domain/failures.ts'

/** The rows of failed spans: those that are alone in their trace, and the others, trace by trace. */
export interface RowsByTrace {
  alone: number[]
  together: number[][]
}

const SPREAD = 0x9e3779b1
const TWO_TO_32 = 4_294_967_296

/** There may be tens of thousands: a table of numbers takes a fraction of the time that a map of arrays does. */
export function rowsByTrace({ count, traces }: Pick<Failures, 'count' | 'traces'>): RowsByTrace {
  const bits = Math.max(1, Math.ceil(Math.log2(count * 2 + 1)))
  const mask = 2 ** bits - 1
  const slots = new Int32Array(mask + 1).fill(-1)
  const lastOf = new Int32Array(count)
  const next = new Int32Array(count).fill(-1)
  const firsts: number[] = []
  for (let row = 0; row < count; row++) {
    const trace = traces[row] as number
    let slot = Math.imul((trace >>> 0) ^ (trace / TWO_TO_32), SPREAD) >>> (32 - bits)
    let first = slots[slot] as number
    while (first >= 0 && traces[first] !== trace) {
      slot = (slot + 1) & mask
      first = slots[slot] as number
    }
    if (first < 0) {
      slots[slot] = row
      firsts.push(row)
      first = row
    } else next[lastOf[first] as number] = row
    lastOf[first] = row
  }
  const found: RowsByTrace = { alone: [], together: [] }
  for (const first of firsts)
    if (next[first] === -1) found.alone.push(first)
    else found.together.push(chainFrom(first, next))
  return found
}

function chainFrom(first: number, next: Int32Array): number[] {
  const rows: number[] = []
  for (let row = first; row >= 0; row = next[row] as number) rows.push(row)
  return rows
}
