import type { TimeWindow } from '../../../domain/time-window.ts'
import type { HourFile } from '../files/hour-file.ts'
import type { KeptHour } from '../kept/kept-hour.ts'
import { loadDurations, type WantedDurations } from '../kept/load-durations.ts'
import { loadKeptHour } from '../kept/load-kept-hour.ts'
import { loadMinuteRows } from '../kept/load-minute-rows.ts'
import { nsRangeOfHour } from '../layout.ts'
import type { LiveHour } from '../live/live-hour.ts'
import { OpenFigures, rangesOn, type Subject } from '../live/open-figures.ts'
import { type AskedWindow, type FilesInUse, overlaps } from '../scope/asked-files.ts'
import { NS_PER_MINUTE } from '../scope/minute-ranges.ts'
import type { Scope } from '../scope/scope.ts'
import { allOrNothing } from './day-rows.ts'
import {
  dayBefore,
  type KnownServices,
  knownInMemory,
  knownServices,
  type Seen,
  seenBefore,
  seenInKept,
} from './services-known.ts'

/** A longer window is answered by the database: its hours would take the room of those that are asked about all the time. */
const HOURS_MAX = 5
/** Something may be sealed while something is read. */
const ATTEMPTS = 4
/** Durations of so many minutes are read at a time: meanwhile nothing may be sealed. */
const DURATION_MINUTES = 15
/** Of more minutes than that, no more are read than those of the series that are asked for, where they are so few. */
const DURATION_SERIES_MAX = 32

type Ask = <T>(window: AskedWindow, question: (scope: Scope) => Promise<T>) => Promise<T>
type Answer<T> = (figures: OpenFigures, known: KnownServices) => T | undefined

interface MissingMinute {
  file: HourFile
  kept: KeptHour
  minute: number
  subject: Subject
}

/** What a question needs and is not in memory. */
interface Missing {
  hours: HourFile[]
  minutes: MissingMinute[]
}

/** Answers questions about figures of one Grid from memory alone, once what they need has been read. */
export class InMemory {
  private readonly gridId: string
  private readonly files: FilesInUse
  private readonly ask: Ask

  constructor(gridId: string, files: FilesInUse, ask: Ask) {
    this.gridId = gridId
    this.files = files
    this.ask = ask
  }

  /**
   * `answer` is called in one moment with figures that have all of the window that the subject is about; undefined where they cannot be had, or do not
   * suffice. An answer must be made at once: what is sealed later is found in two places.
   */
  async answer<T>(window: TimeWindow, subject: Subject, answer: Answer<T>): Promise<T | undefined> {
    const files = this.filesIn(window)
    if (files.length > HOURS_MAX) return undefined
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const missing = this.missing(window, subject)
      if (missing.hours.length + missing.minutes.length === 0) {
        const known = this.known(dayBefore(window))
        if (known) {
          const answered = answer(this.figures(window), known)
          if (answered !== undefined || !(await this.loadDurations(window))) return answered
          continue
        }
        if (attempt > 0) return undefined
        await this.readKnown(dayBefore(window))
      } else if (!(await this.load(missing))) return undefined
    }
    return undefined
  }

  /** As what the spans of each service count in a window. */
  async knownServices(window: TimeWindow): Promise<KnownServices> {
    const day = dayBefore(window)
    return this.known(day) ?? (await this.readKnown(day))
  }

  private async readKnown(day: TimeWindow): Promise<KnownServices> {
    const rolled = { kind: 'requests', hours: allOrNothing(day) } as const
    return await this.ask({ ...day, andAllOpen: true, rolled }, (scope) => knownServices(scope, day))
  }

  hours(): { files: HourFile[]; open: Set<number> } {
    const open = this.files.openFiles().flatMap(({ rowsByGrid }) => [...(rowsByGrid.get(this.gridId)?.keys() ?? [])])
    return { files: this.files.hourFiles.ofGrid(this.gridId), open: new Set(open) }
  }

  private filesIn(window: TimeWindow): HourFile[] {
    return this.files.hourFiles.ofGrid(this.gridId).filter(({ hour }) => overlaps(hour, window))
  }

  private missing(window: TimeWindow, subject: Subject): Missing {
    const missing: Missing = { hours: [], minutes: [] }
    for (const file of this.filesIn(window)) {
      const kept = this.files.live.kept.find(file)
      if (!kept) missing.hours.push(file)
      else
        for (const minute of raggedMinutes(kept, window, subject)) missing.minutes.push({ file, kept, minute, subject })
    }
    return missing
  }

  private figures(window: TimeWindow): OpenFigures {
    const { live } = this.files
    const kept = this.filesIn(window).flatMap((file) => live.kept.find(file) ?? [])
    const sealed = new Map(kept.map((each) => [each.hour, each.sealed]))
    return new OpenFigures(live, this.openHours(window, sealed), kept)
  }

  private openHours(window: TimeWindow, sealed: Map<number, Set<number>>): LiveHour[] {
    return this.files.openFiles().flatMap((open) => {
      const hours = [...(open.rowsByGrid.get(this.gridId)?.keys() ?? [])]
      const wanted = hours.filter((hour) => overlaps(hour, window) && !sealed.get(hour)?.has(open.number))
      return wanted.flatMap((hour) => this.files.live.file(open.number)?.find(this.gridId, hour) ?? [])
    })
  }

  /** An hour that is open and sealed at the same time has seen the same services. */
  private known(day: TimeWindow): KnownServices | undefined {
    const { live } = this.files
    const open = new OpenFigures(live, this.openHours(day, new Map()))
    return knownInMemory(open, this.filesIn(day), (file) => this.seenIn(file), day)
  }

  private seenIn(file: HourFile): Seen[] | undefined {
    const { live } = this.files
    const kept = live.kept.find(file)
    return kept ? seenInKept(kept, live) : seenBefore(file)
  }

  /** False where something cannot be kept in memory. */
  private async load({ hours, minutes }: Missing): Promise<boolean> {
    const { live } = this.files
    if (!hours.every((file) => live.kept.mayLoad(file))) return false
    try {
      for (const file of hours)
        await live.kept.load(file, () =>
          this.ofFile(file, (scope) => loadKeptHour(scope.session, file, live), undefined),
        )
      for (const minute of minutes) if (!(await this.loadMinute(minute))) return false
      return true
    } catch {
      // Whatever it was, the database says it again when it is asked.
      return false
    }
  }

  private async loadMinute({ file, kept, ...asked }: MissingMinute): Promise<boolean> {
    const { live } = this.files
    const release = live.hold()
    try {
      return await this.ofFile(file, (scope) => loadMinuteRows(scope.session, file, asked, kept, live), false)
    } finally {
      release()
    }
  }

  /** What an answer can lack is how long requests took, one by one. False where that cannot be helped. */
  private async loadDurations(window: TimeWindow): Promise<boolean> {
    const hours = this.filesIn(window).flatMap((file) => {
      const kept = this.files.live.kept.find(file)
      return kept ? [{ file, kept }] : []
    })
    const missing = new Set(hours.flatMap(({ kept }) => kept.takeMissingDurations()))
    const wanted = hours.flatMap(({ file, kept }) =>
      wantedDurations(kept, window, missing).map((durations) => ({ file, kept, durations })),
    )
    for (const { file, kept, durations } of wanted) if (!(await this.readDurations(file, kept, durations))) return false
    return wanted.length > 0
  }

  private async readDurations(file: HourFile, kept: KeptHour, wanted: WantedDurations): Promise<boolean> {
    const { live } = this.files
    const release = live.hold()
    try {
      return await this.ofFile(file, (scope) => loadDurations(scope.session, file, wanted, kept, live), false)
    } catch {
      return false
    } finally {
      release()
    }
  }

  private async ofFile<T>(file: HourFile, read: (scope: Scope) => Promise<T>, otherwise: T): Promise<T> {
    const { firstNs, lastNs } = nsRangeOfHour(file.hour)
    return await this.ask({ startNs: firstNs, endNs: lastNs + 1n }, async (scope) =>
      scope.units.some((unit) => unit.file === file) ? await read(scope) : otherwise,
    )
  }
}

/** What is read at a time of the durations that a question lacks: of series that are missing in any hour, or of all. */
function wantedDurations(kept: KeptHour, window: TimeWindow, missing: Set<string>): WantedDurations[] {
  const { whole } = rangesOn(kept, window)
  const unread = (whole && kept.durations?.unreadMinutes(whole.first, whole.end)) ?? []
  if (unread.length > DURATION_MINUTES && missing.size <= DURATION_SERIES_MAX) {
    const series = kept.unreadSeries(missing)
    return series.length > 0 ? [{ minutes: kept.durations?.unreadMinutes() ?? [], series }] : []
  }
  const portions: WantedDurations[] = []
  for (let at = 0; at < unread.length; at += DURATION_MINUTES)
    portions.push({ minutes: unread.slice(at, at + DURATION_MINUTES), series: undefined })
  return portions
}

/** Minutes that a window has a part of, and whose rows are not in memory. */
function raggedMinutes(kept: KeptHour, window: TimeWindow, subject: Subject): number[] {
  const { firstNs } = nsRangeOfHour(kept.hour)
  const minuteOf = (ns: bigint) => Number((ns - firstNs) / NS_PER_MINUTE)
  // A range that is shorter than a minute may lie in two.
  const minutes = rangesOn(kept, window).ragged.flatMap(({ startNs, endNs }) => [
    minuteOf(startNs),
    minuteOf(endNs - 1n),
  ])
  return [...new Set(minutes)].filter(
    (minute) => !kept.rows[subject].has(minute) && (kept.origins.has(minute) || kept.calls.has(minute)),
  )
}
