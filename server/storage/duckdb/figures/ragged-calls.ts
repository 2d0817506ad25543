import type { TimeWindow } from '../../../domain/time-window.ts'
import type { Figure } from '../live/figure.ts'
import { GroupSums } from '../live/group-sums.ts'
import { CALL_COLUMNS } from '../live/live-hour.ts'
import type { OpenFigures } from '../live/open-figures.ts'
import { ANSWERED } from '../schema.ts'
import { CALL_SUMS } from './call-rows.ts'

const ERROR = 2
const { calls: CALLS, errors: ERRORS, low: LOW, high: HIGH, unanswered: UNANSWERED } = CALL_COLUMNS

/** Calls at the ragged ends of a window, added up before they get names: by minute. */
export function raggedCalls(figures: OpenFigures, window: TimeWindow): Map<number, GroupSums> {
  const minutes = new Map<number, GroupSums>()
  const sumsOf = (minute: number) => {
    const sums = minutes.get(minute) ?? new GroupSums(CALL_SUMS)
    minutes.set(minute, sums)
    return sums
  }
  figures.eachOpenRagged(window, 'calls', (figure) => {
    const { kind, service, callee, called, dependency, n, low, high } = figure
    const sums = sumsOf(figure.minute)
    const at = sums.at(kind, service, callee, called, dependency)
    addCalls(sums, at, figure, { count: n, low: n * low, high: n * high })
  })
  for (const { rows, range, minute } of figures.keptRagged(window, 'calls')) {
    const sums = sumsOf(minute)
    rows.addUp(range, (group, added) => {
      const { kind, status, role, places } = rows.groupOf(group)
      const [service, called, dependency, callee] = places
      addCalls(sums, sums.at(kind, service, callee, called, dependency), { status, role, callee }, added)
    })
  }
  return minutes
}

function addCalls(
  sums: GroupSums,
  at: number,
  { status, role, callee }: Pick<Figure, 'status' | 'role' | 'callee'>,
  { count, low, high }: { count: number; low: number; high: number },
): void {
  add(sums, at + CALLS, count)
  add(sums, at + LOW, low)
  add(sums, at + HIGH, high)
  if (status !== ERROR) return
  add(sums, at + ERRORS, count)
  if (callee === 0 && (role & ANSWERED) === 0) add(sums, at + UNANSWERED, count)
}

function add(sums: GroupSums, at: number, value: number): void {
  sums.sums[at] = (sums.sums[at] as number) + value
}
