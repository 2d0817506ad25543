import type { TimeWindow } from '../../../domain/time-window.ts'
import { GroupSums, type Sums } from '../live/group-sums.ts'
import { kindOfWord, ORIGIN_COLUMNS, roleOfWord } from '../live/live-hour.ts'
import type { OpenFigures } from '../live/open-figures.ts'
import { LOCAL_ROOT, REQUEST } from '../schema.ts'

const ROLES = REQUEST | LOCAL_ROOT
const ERROR = 2
const { spans: SPANS, errors: ERRORS, low: LOW, high: HIGH } = ORIGIN_COLUMNS

/** What spans of one origin, kind and role add to the figures of a minute: how many, failed, and their durations as halves. */
export interface OriginFigure {
  service: string
  resource: string
  kind: number
  role: number
  /** Since the epoch. */
  minute: number
  sums: [spans: number, errors: number, low: number, high: number]
}

/** Those that are not sealed yet. Numbers are to be added up, and may be negative. */
export function eachOpenOrigin(
  figures: OpenFigures,
  window: TimeWindow,
  byMinute: boolean,
  each: (figure: OriginFigure) => void,
): void {
  const tell = (from: Sums, group: number, origin: number, kind: number, role: number, minute: number) => {
    const { serviceName: service, resourceJson: resource } = figures.live.origins.get(origin).origin
    const sum = (column: number) => from.sum(group, column)
    each({ service, resource, kind, role, minute, sums: [sum(SPANS), sum(ERRORS), sum(LOW), sum(HIGH)] })
  }
  figures.eachGroup(
    window,
    ({ origins }) => origins,
    byMinute,
    (from, group, minute) => {
      const word = from.key(group, 0)
      tell(from, group, from.key(group, 1), kindOfWord(word), roleOfWord(word), minute)
    },
  )
  const ragged = raggedOrigins(figures, window)
  for (let group = 0; group < ragged.size; group++) {
    const key = (word: number) => ragged.key(group, word)
    tell(ragged, group, key(0), key(1), key(2), key(3) | 0)
  }
}

function raggedOrigins(figures: OpenFigures, window: TimeWindow): GroupSums {
  const ragged = new GroupSums(4)
  const add = (at: number, value: number) => {
    ragged.sums[at] = (ragged.sums[at] as number) + value
  }
  figures.eachOpenRagged(window, 'spans', ({ origin, kind, role, minute, status, n, low, high }) => {
    const at = ragged.at(origin, kind, role & ROLES, minute >>> 0, 0)
    add(at + SPANS, n)
    if (status === ERROR) add(at + ERRORS, n)
    add(at + LOW, n * low)
    add(at + HIGH, n * high)
  })
  for (const { rows, range, minute } of figures.keptRagged(window, 'spans'))
    rows.addUp(range, (group, { count, low, high }) => {
      const { kind, status, role, places } = rows.groupOf(group)
      const at = ragged.at(places[0], kind, role & ROLES, minute >>> 0, 0)
      add(at + SPANS, count)
      if (status === ERROR) add(at + ERRORS, count)
      add(at + LOW, low)
      add(at + HIGH, high)
    })
  return ragged
}
