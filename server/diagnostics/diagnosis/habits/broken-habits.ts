import type { Share } from '../../statistics/fisher-exact.ts'
import type { Episode, MinuteAxis } from '../series/minute-axis.ts'
import type { OperationSeries } from '../series/minute-series.ts'
import { strongestRise } from '../series/strongest-rise.ts'
import { isLasting, P_VALUE_BELOW } from '../symptoms/judgement.ts'
import { onsetOf } from '../symptoms/onset.ts'
import type { BrokenHabit } from './habit.ts'
import { oneOfEach } from './one-of-each.ts'
import type { OperationShapes } from './operation-shapes.ts'
import { statementHabits } from './statement-habits.ts'
import type { Example, Statement } from './statements.ts'
import { stepHabits } from './step-habits.ts'
import { LIMITS, type Watched } from './watched-habit.ts'

/** What hardly any span ever broke need not be broken by more than those of one customer. */
const NEVER_BROKEN_MAX = 0.003
const NEVER_BROKEN_DURING_MIN = 0.06

interface Behaviour {
  operations: OperationShapes[]
  /** The same, of the traces whose log records are known. */
  loggedIn: OperationShapes[]
  statements: Statement[]
  /** Whether the log records of a trace are known, if it has any. */
  isHeard(traceId: string): boolean
  /** All operations of each service together. */
  services: OperationSeries[]
}

/** Everything that spans did as a matter of course and do no longer, surest first. */
export function brokenHabits(
  { operations, loggedIn, statements, services, isHeard }: Behaviour,
  axis: MinuteAxis,
): BrokenHabit[] {
  const watched = [
    ...operations.flatMap((operation) => stepHabits(operation)),
    ...statements.flatMap((statement) => statementHabits(statement, loggedIn, services)).map(ofHeard),
  ]
  // What can never stand out, because hardly anything broke it, needs no correction for having been looked at (Tarone); nor does
  // what is broken by the same spans as something else of the same operation.
  const told = oneOfEach(watched.filter(({ parts }) => isEverBroken(parts)))
  return told
    .flatMap((each) => brokenOf(each, axis, told.length))
    .toSorted((a, b) => a.pValue - b.pValue || b.during.part - a.during.part)

  function ofHeard(watched: Watched): Watched {
    return { ...watched, isBrokenBy: (span) => (isHeard(span.traceId) ? watched.isBrokenBy(span) : undefined) }
  }
}

function isEverBroken(parts: number[]): boolean {
  return totalOf(parts) >= LIMITS.partsMin
}

function totalOf(counts: number[]): number {
  let total = 0
  for (const count of counts) total += count
  return total
}

function brokenOf(watched: Watched, axis: MinuteAxis, comparisons: number): BrokenHabit[] {
  if (!mayBeBroken(watched, axis)) return []
  const { parts, wholes, beforeMax, duringMin, examples, newestTrace, ...habit } = watched
  const rise = strongestRise({ parts, wholes }, LIMITS)
  if (rise === undefined || rise.pValue * comparisons >= P_VALUE_BELOW || !isLasting(rise, axis, wholes)) return []
  const during = sumOf(parts, wholes, (minute) => minute >= rise.from && minute < rise.to)
  const before = sumOf(parts, wholes, (minute) => minute < rise.from || minute > rise.to)
  if (!isBreach(watched, before.part, before.whole, during.part, during.whole) || rise.from === 0) return []
  const onsetNs = onsetOf(axis, rise, (minute) => [parts[minute] ?? 0, wholes[minute] ?? 0])
  const episode = { from: rise.from, to: rise.to }
  return [
    {
      ...habit,
      ...{ episode, onsetNs, before, during, pValue: rise.pValue * comparisons },
      traceId: newestTrace(),
      examples: textsIn(examples, episode),
      mention: undefined,
    },
  ]
}

/**
 * Whether any stretch that lasts to the end would be told of if it were the one that stands out most. There are thousands of
 * habits and hardly one has such a stretch, so that this spares nearly all of them the search through every stretch.
 */
function mayBeBroken(watched: Watched, axis: MinuteAxis): boolean {
  const { parts, wholes } = watched
  const [partTotal, wholeTotal] = [totalOf(parts), totalOf(wholes)]
  const ends = new Set([axis.length, axis.length - 1, wholes.findLastIndex((whole) => whole > 0) + 1])
  for (const to of ends) {
    let part = 0
    let whole = 0
    // None begins or ends with a minute without any.
    for (let from = parts[to - 1] ? to - 1 : 0; from > 0; from--) {
      part += parts[from] as number
      whole += wholes[from] as number
      if (
        !parts[from] ||
        part < LIMITS.partsMin ||
        whole < LIMITS.wholesMin ||
        wholeTotal - whole < LIMITS.restWholesMin
      )
        continue
      const partBefore = partTotal - part - (parts[to] ?? 0)
      const wholeBefore = wholeTotal - whole - (wholes[to] ?? 0)
      if (isBreach(watched, partBefore, wholeBefore, part, whole)) return true
    }
  }
  return false
}

function isBreach(
  { beforeMax, duringMin }: Watched,
  partBefore: number,
  wholeBefore: number,
  partDuring: number,
  wholeDuring: number,
): boolean {
  const [was, is] = [partBefore / Math.max(1, wholeBefore), partDuring / wholeDuring]
  return was <= beforeMax && is >= 4 * was && is >= (was <= NEVER_BROKEN_MAX ? NEVER_BROKEN_DURING_MIN : duringMin)
}

function textsIn(examples: Example[], { from, to }: Episode): string[] {
  const during = examples.filter(({ minute }) => minute >= from && minute < to)
  return (during.length > 0 ? during : examples).map(({ text }) => text)
}

function sumOf(parts: number[], wholes: number[], counts: (minute: number) => boolean): Share {
  const minutes = [...wholes.keys()].filter(counts)
  const sum = (values: number[]) => minutes.reduce((total, minute) => total + (values[minute] ?? 0), 0)
  return { part: sum(parts), whole: sum(wholes) }
}
