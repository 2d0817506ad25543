import type { TimeWindow } from '../../../domain/time-window.ts'
import type { HourFile } from '../files/hour-file.ts'
import type { HourFiles } from '../files/hour-files.ts'
import type { OpenFile } from '../files/open-file.ts'
import { hourOf, nsRangeOfHour } from '../layout.ts'
import type { LiveSpans } from '../live/live-spans.ts'
import type { DayKind } from '../rolled/day-file.ts'
import type { DayFiles } from '../rolled/day-files.ts'
import type { Rolled } from '../rolled/rolled.ts'
import type { RolledDay } from '../rolled/rolled-days.ts'

/** An hour of one Grid as a question sees it: the sealed rows, and rows that still are in open files. */
export interface HourUnit {
  hour: number
  file: HourFile | undefined
  open: OpenFile[]
}

/** Of these hours a question is content with what they are rolled up into. */
interface ContentWith {
  kind: DayKind
  hours: (hour: number) => boolean
}

/** Undefined for all records of all times. With `andAllOpen`, also the hours of all rows that are not sealed yet. */
export type AskedWindow = (TimeWindow & { andAllOpen?: true; rolled?: ContentWith | undefined }) | undefined

/** What a question reads. No hour is both a unit and rolled up. */
export interface AskedFiles {
  /** Newest first. */
  units: HourUnit[]
  /** Newest first. */
  days: RolledDay[]
}

/** The files that hold a Grid's records, as they are at this moment. */
export interface FilesInUse {
  hourFiles: HourFiles
  rolled: Rolled
  dayFiles: DayFiles
  openFiles(): OpenFile[]
  live: LiveSpans
}

/** Finds the files that a question reads, and keeps them attached until the functions in `releases` are called. */
export async function askedOf(
  files: FilesInUse,
  gridId: string,
  window: AskedWindow,
  releases: (() => void)[],
): Promise<AskedFiles> {
  // Open files are looked at first: what is sealed from here on is found in both places, never in neither.
  const units = new Map<number, HourUnit>()
  const unitOf = (hour: number) => {
    const unit = units.get(hour) ?? { hour, file: undefined, open: [] }
    units.set(hour, unit)
    return unit
  }
  for (const open of files.openFiles()) {
    const hours = [...(open.rowsByGrid.get(gridId)?.keys() ?? [])].filter(
      (hour) => window?.andAllOpen === true || overlaps(hour, window),
    )
    if (hours.length === 0) continue
    releases.push(open.beginRead())
    for (const hour of hours) unitOf(hour).open.push(open)
  }
  const content = window?.rolled
  const days = content ? await rolledDays(files, gridId, window, content, units, releases) : []
  const rolled = new Set(days.flatMap(({ hours }) => hours))
  for (const hour of files.hourFiles.hours(gridId)) {
    if ((!overlaps(hour, window) && !units.has(hour)) || rolled.has(hour)) continue
    if (content?.kind === 'points' && !units.has(hour) && files.rolled.points.isWithoutPoints(gridId, hour)) continue
    const file = files.hourFiles.find(gridId, hour)
    // Nothing is found by its id in an hour that has no records any more.
    if (file?.isStripped && window === undefined) continue
    const release = file && (await files.hourFiles.use(file))
    if (!release) continue
    releases.push(release)
    unitOf(hour).file = file
  }
  return { units: [...units.values()].sort((a, b) => b.hour - a.hour), days }
}

/** Rows that are not sealed yet are not rolled up: their hours are read as they are. */
async function rolledDays(
  { rolled, dayFiles }: FilesInUse,
  gridId: string,
  window: TimeWindow,
  { kind, hours: isEnough }: ContentWith,
  units: Map<number, HourUnit>,
  releases: (() => void)[],
): Promise<RolledDay[]> {
  const found: RolledDay[] = []
  const isWanted = (hour: number) => isEnough(hour) && !units.has(hour)
  for (const day of await rolled[kind].rolledIn(gridId, window, isWanted)) {
    const release = await dayFiles.use(day.file)
    if (!release) continue
    releases.push(release)
    found.push(day)
  }
  return found
}

/** Whether an hour has something of a window. */
export function overlaps(hour: number, window: TimeWindow | undefined): boolean {
  return window === undefined || (hour >= hourOf(window.startNs) && hour <= hourOf(window.endNs - 1n))
}

/** Whether a window has all of an hour. */
export function isWholeIn({ startNs, endNs }: TimeWindow): (hour: number) => boolean {
  return (hour) => {
    const { firstNs, lastNs } = nsRangeOfHour(hour)
    return firstNs >= startNs && lastNs < endNs
  }
}
