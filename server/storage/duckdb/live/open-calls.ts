import type { TimeWindow } from '../../../domain/time-window.ts'
import { ANSWERED } from '../schema.ts'
import type { Row } from '../session.ts'
import { GroupSums } from './group-sums.ts'
import { CALL_COLUMNS, durationSum, kindOfWord } from './live-hour.ts'
import type { OpenFigures } from './open-figures.ts'

const ERROR = 2
const [CLIENT, PRODUCER] = [3, 4]

/** Calls that are not sealed yet: rows with the columns of the database's, to be added to them. */
export function openCalls(figures: OpenFigures | undefined, window: TimeWindow, byMinute: boolean): Row[] {
  if (!figures) return []
  const byMinuteNs = new Map<bigint, GroupSums>()
  const sumsOf = (minuteNs: bigint) => {
    const key = byMinute ? minuteNs : 0n
    const sums = byMinuteNs.get(key) ?? new GroupSums(5)
    byMinuteNs.set(key, sums)
    return sums
  }
  figures.eachGroup(
    window,
    ({ calls }) => calls,
    (from, group, minuteNs) => {
      const to = sumsOf(minuteNs)
      const key = (word: number) => from.key(group, word)
      const at = to.at(kindOfWord(key(0)), key(1), key(2), key(3), key(4))
      for (let column = 0; column < 5; column++) add(to, at + column, from.sum(group, column))
    },
  )
  figures.eachSpan(
    window,
    'ragged',
    (hour) => hour.callCorrections,
    (figure, minuteNs) => {
      const { kind, service, callee, called, dependency, role, status, n, low, high } = figure
      if (kind !== CLIENT && kind !== PRODUCER) return
      const to = sumsOf(minuteNs)
      const at = to.at(kind, service, callee, called, dependency)
      add(to, at + CALL_COLUMNS.calls, n)
      add(to, at + CALL_COLUMNS.low, n * low)
      add(to, at + CALL_COLUMNS.high, n * high)
      if (status !== ERROR) return
      add(to, at + CALL_COLUMNS.errors, n)
      if (callee === 0 && (role & ANSWERED) === 0) add(to, at + CALL_COLUMNS.unanswered, n)
    },
  )
  return [...byMinuteNs].flatMap(([minuteNs, sums]) => rowsOf(figures, sums, minuteNs))
}

function rowsOf({ live: { texts } }: OpenFigures, sums: GroupSums, minuteNs: bigint): Row[] {
  const { calls, errors, low, high, unanswered } = CALL_COLUMNS
  return Array.from({ length: sums.size }, (_, group) => ({
    kind: sums.key(group, 0),
    service: texts.text(sums.key(group, 1)),
    callee: texts.text(sums.key(group, 2)),
    called: texts.text(sums.key(group, 3)),
    dependency: texts.text(sums.key(group, 4)),
    minute_ns: minuteNs,
    calls: sums.sum(group, calls),
    errors: sums.sum(group, errors),
    duration_ns: durationSum(sums.sum(group, low), sums.sum(group, high)),
    unanswered: sums.sum(group, unanswered),
  }))
}

function add(sums: GroupSums, at: number, value: number): void {
  sums.sums[at] = (sums.sums[at] as number) + value
}
