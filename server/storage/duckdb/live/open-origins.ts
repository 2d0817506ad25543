import type { TimeWindow } from '../../../domain/time-window.ts'
import { LOCAL_ROOT, REQUEST } from '../schema.ts'
import type { Row } from '../session.ts'
import { GroupSums } from './group-sums.ts'
import { durationSum, groupWord, kindOfWord, ORIGIN_COLUMNS, roleOfWord } from './live-hour.ts'
import type { OpenFigures } from './open-figures.ts'

const ROLES = REQUEST | LOCAL_ROOT
const ERROR = 2

/** Spans that are not sealed yet by their origin, kind and role: rows to be added to the database's. */
export function openOriginRows(figures: OpenFigures | undefined, window: TimeWindow, byMinute: boolean): Row[] {
  if (!figures) return []
  const byMinuteNs = new Map<bigint, GroupSums>()
  const sumsOf = (minuteNs: bigint) => {
    const key = byMinute ? minuteNs : 0n
    const sums = byMinuteNs.get(key) ?? new GroupSums(4)
    byMinuteNs.set(key, sums)
    return sums
  }
  figures.eachGroup(
    window,
    ({ origins }) => origins,
    (from, group, minuteNs) => {
      const to = sumsOf(minuteNs)
      const word = from.key(group, 0)
      const at = to.at(groupWord(0, kindOfWord(word), roleOfWord(word)), from.key(group, 1), 0, 0, 0)
      for (let column = 0; column < 4; column++) add(to, at + column, from.sum(group, column))
    },
  )
  figures.eachSpan(
    window,
    'ragged',
    (hour) => hour.requestCorrections,
    (figure, minuteNs) => {
      const to = sumsOf(minuteNs)
      const at = to.at(groupWord(0, figure.kind, figure.role & ROLES), figure.origin, 0, 0, 0)
      add(to, at + ORIGIN_COLUMNS.spans, figure.n)
      if (figure.status === ERROR) add(to, at + ORIGIN_COLUMNS.errors, figure.n)
      add(to, at + ORIGIN_COLUMNS.low, figure.n * figure.low)
      add(to, at + ORIGIN_COLUMNS.high, figure.n * figure.high)
    },
  )
  return [...byMinuteNs].flatMap(([minuteNs, sums]) => rowsOf(figures, sums, minuteNs))
}

function rowsOf({ live }: OpenFigures, sums: GroupSums, minuteNs: bigint): Row[] {
  const { spans, errors, low, high } = ORIGIN_COLUMNS
  return Array.from({ length: sums.size }, (_, group) => {
    const { origin } = live.origins.get(sums.key(group, 1))
    const word = sums.key(group, 0)
    return {
      kind: kindOfWord(word),
      role: roleOfWord(word),
      service: origin.serviceName,
      resource: origin.resourceJson,
      minute_ns: minuteNs,
      spans: sums.sum(group, spans),
      requests: sums.sum(group, spans),
      errors: sums.sum(group, errors),
      duration_ns: durationSum(sums.sum(group, low), sums.sum(group, high)),
    }
  })
}

function add(sums: GroupSums, at: number, value: number): void {
  sums.sums[at] = (sums.sums[at] as number) + value
}
