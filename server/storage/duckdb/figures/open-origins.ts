import type { TimeWindow } from '../../../domain/time-window.ts'
import { kindOfWord, ORIGIN_COLUMNS, roleOfWord } from '../live/live-hour.ts'
import type { OpenFigures } from '../live/open-figures.ts'
import { LOCAL_ROOT, REQUEST } from '../schema.ts'

const ROLES = REQUEST | LOCAL_ROOT
const ERROR = 2

/** What spans of one origin, kind and role add to the figures of a minute: how many, failed, and their durations as halves. */
export interface OriginFigure {
  service: string
  resource: string
  kind: number
  role: number
  minuteNs: bigint
  sums: [spans: number, errors: number, low: number, high: number]
}

/** Those that are not sealed yet. Numbers are to be added up, and may be negative. */
export function eachOpenOrigin(figures: OpenFigures, window: TimeWindow, each: (figure: OriginFigure) => void): void {
  const { spans, errors, low, high } = ORIGIN_COLUMNS
  const originOf = (id: number) => {
    const { serviceName, resourceJson } = figures.live.origins.get(id).origin
    return { service: serviceName, resource: resourceJson }
  }
  figures.eachGroup(
    window,
    ({ origins }) => origins,
    (from, group, minuteNs) => {
      const word = from.key(group, 0)
      const sum = (column: number) => from.sum(group, column)
      each({
        ...originOf(from.key(group, 1)),
        kind: kindOfWord(word),
        role: roleOfWord(word),
        minuteNs,
        sums: [sum(spans), sum(errors), sum(low), sum(high)],
      })
    },
  )
  figures.eachSpan(
    window,
    'ragged',
    (hour) => hour.requestCorrections,
    (figure, minuteNs) => {
      const { origin, kind, role, n, status } = figure
      each({
        ...originOf(origin),
        kind,
        role: role & ROLES,
        minuteNs,
        sums: [n, status === ERROR ? n : 0, n * figure.low, n * figure.high],
      })
    },
  )
}
