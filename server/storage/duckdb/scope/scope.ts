import { setTimeout } from 'node:timers/promises'
import { StoreUnavailable } from '../../../domain/store-errors.ts'
import type { TimeWindow } from '../../../domain/time-window.ts'
import type { Database } from '../engine/database.ts'
import type { Session } from '../engine/session.ts'
import type { AttachableFile } from '../files/attachable-file.ts'
import { isDamage } from '../files/data-file.ts'
import { HourFile } from '../files/hour-file.ts'
import type { HourFiles } from '../files/hour-files.ts'
import type { OpenFile } from '../files/open-file.ts'
import { hourOf, nsRangeOfHour } from '../layout.ts'
import type { LiveHour } from '../live/live-hour.ts'
import type { LiveSpans } from '../live/live-spans.ts'
import { OpenFigures } from '../live/open-figures.ts'
import { DayFile, type DayKind } from '../rolled/day-file.ts'
import type { Rolled } from '../rolled/rolled.ts'
import type { RolledDay } from '../rolled/rolled-days.ts'

/** An hour of one Grid as a question sees it: the sealed rows, and rows that still are in open files. */
export interface HourUnit {
  hour: number
  file: HourFile | undefined
  open: OpenFile[]
}

const RETRIES_MAX = 3
/** What runs beside a question and needs much memory is done after a while. */
const MEMORY_WAIT_MS = 250

/** Of these hours a question is content with what they are rolled up into. */
interface ContentWith {
  kind: DayKind
  hours: (hour: number) => boolean
}

/** Undefined for all records of all times. With `andAllOpen`, also the hours of all rows that are not sealed yet. */
export type AskedWindow = (TimeWindow & { andAllOpen?: true; rolled?: ContentWith | undefined }) | undefined

interface UsedFile {
  file: AttachableFile
  alias: string
}

/** What a question reads. No hour is both a unit and rolled up. */
interface Asked {
  /** Newest first. */
  units: HourUnit[]
  /** Newest first. */
  days: RolledDay[]
}

/** The files that hold a Grid's records, as they are at this moment. */
export interface FilesInUse {
  hourFiles: HourFiles
  rolled: Rolled
  openFiles(): OpenFile[]
  live: LiveSpans
}

/**
 * Asks a question about one Grid. Every statement of a question gets at rows through this scope, which is where a Grid is
 * kept to its own: its hour files are its own, and rows of open files are selected by `openRows`.
 */
export class Scope {
  readonly session: Session
  /** Newest first. */
  readonly units: HourUnit[]
  /** Newest first. */
  readonly days: RolledDay[]
  /** For the statements' `$grid`. */
  readonly grid: { grid: string }
  private readonly hourFiles: HourFiles
  private readonly live: LiveSpans
  private figures: Promise<OpenFigures> | undefined
  private sealed: Promise<Set<string>> | undefined

  private constructor(session: Session, gridId: string, { units, days }: Asked, { hourFiles, live }: FilesInUse) {
    this.session = session
    this.hourFiles = hourFiles
    this.grid = { grid: gridId }
    this.units = units
    this.days = days
    this.live = live
  }

  /**
   * A question that met a file which had to be given up while it was read is asked again, without that file; and one for which
   * there was too little memory just then.
   */
  static async ask<T>(
    database: Database,
    files: FilesInUse,
    gridId: string,
    window: AskedWindow,
    question: (scope: Scope) => Promise<T>,
  ): Promise<T> {
    for (let retries = RETRIES_MAX; ; retries--) {
      const used: UsedFile[] = []
      const isOutdated = () => retries > 0 && used.some(({ file, alias }) => file.alias !== alias)
      try {
        const answer = await Scope.askOnce(database, files, gridId, window, question, used)
        if (!isOutdated()) return answer
      } catch (error) {
        if (isDamage(error as Error)) await examine(files, used)
        if (isShortOfMemory(error as Error)) await roomAgain(retries)
        else if (!isOutdated()) throw error
      }
    }
  }

  private static async askOnce<T>(
    database: Database,
    files: FilesInUse,
    gridId: string,
    window: AskedWindow,
    question: (scope: Scope) => Promise<T>,
    used: UsedFile[],
  ): Promise<T> {
    const releases: (() => void)[] = []
    try {
      // The connection comes first: a question that waits for one holds no files.
      return await database.ask(async (session) => {
        const asked = await askedOf(files, gridId, window, releases)
        for (const { file } of [...asked.units, ...asked.days]) if (file) used.push({ file, alias: file.alias })
        session.begin()
        return await question(new Scope(session, gridId, asked, files))
      })
    } finally {
      // Not before the transaction has ended, which holds the files as well.
      for (const release of releases) release()
    }
  }

  /** The file of an hour, whether or not the question reads it. */
  readonly hourFile = (hour: number): HourFile | undefined => this.hourFiles.find(this.grid.grid, hour)

  /** The open files of all hours, each once. */
  get openFiles(): OpenFile[] {
    return [...new Set(this.units.flatMap((unit) => unit.open))]
  }

  /** The open files of a unit whose rows count: while a file is being sealed they are in both places for a moment. */
  async unsealedOf({ hour, open }: HourUnit): Promise<OpenFile[]> {
    if (open.length === 0) return []
    const sealed = await this.sealedOpenFiles()
    return open.filter(({ number }) => !sealed.has(`${hour} ${number}`))
  }

  /** What the open files of the scope add to the figures of its hours. */
  openFigures(): Promise<OpenFigures> {
    this.figures ??= this.readFigures()
    return this.figures
  }

  private async readFigures(): Promise<OpenFigures> {
    const hours: LiveHour[] = []
    for (const unit of this.units)
      for (const { number } of await this.unsealedOf(unit)) {
        const found = this.live.file(number)?.find(this.grid.grid, unit.hour)
        if (found) hours.push(found)
      }
    return new OpenFigures(this.live, hours)
  }

  /** By hour and number. As with rows, the hour file decides, in the same snapshot. */
  private sealedOpenFiles(): Promise<Set<string>> {
    this.sealed ??= this.readSealed()
    return this.sealed
  }

  private async readSealed(): Promise<Set<string>> {
    const parts = this.units.flatMap(({ file, hour, open }) =>
      file && open.length > 0
        ? [
            `SELECT ${hour} AS hour, open_no FROM ${file.alias}.sealed WHERE open_no IN (${open.map(({ number }) => number).join(', ')})`,
          ]
        : [],
    )
    const rows = parts.length > 0 ? await this.session.rows(parts.join(' UNION ALL ')) : []
    return new Set(rows.map((row) => `${row['hour']} ${row['open_no']}`))
  }
}

/**
 * The rows of a unit that are in open files, as a subquery. While a file is being sealed its rows are in both places for a
 * moment; what the hour file says about itself, in the same snapshot as its rows, decides which copy counts.
 */
export function openRows(unit: HourUnit, table: 'spans' | 'logs' | 'points', columns = '*'): string | undefined {
  if (unit.open.length === 0) return undefined
  const time = table === 'spans' ? 'start_ns' : 'time_ns'
  const { firstNs, lastNs } = nsRangeOfHour(unit.hour)
  const parts = unit.open.map((open) => {
    const unsealed = unit.file
      ? `AND NOT EXISTS (SELECT 1 FROM ${unit.file.alias}.sealed WHERE open_no = ${open.number})`
      : ''
    return `SELECT ${columns} FROM ${open.alias}.${table} WHERE grid = $grid::UUID
      AND ${time} BETWEEN ${firstNs} AND ${lastNs} ${unsealed}`
  })
  return `(${parts.join(' UNION ALL ')})`
}

function isShortOfMemory({ message }: Error): boolean {
  return message.startsWith('Out of Memory Error')
}

async function roomAgain(retries: number): Promise<void> {
  if (retries === 0)
    throw new StoreUnavailable('there is too little memory for this question now; try again shortly, or ask for less')
  await setTimeout((RETRIES_MAX + 1 - retries) * MEMORY_WAIT_MS)
}

async function examine({ hourFiles, rolled }: FilesInUse, used: UsedFile[]): Promise<void> {
  const files = used.map(({ file }) => file)
  await hourFiles.examine(files.filter((file) => file instanceof HourFile))
  await rolled.points.files.examine(files.filter((file) => file instanceof DayFile))
}

async function askedOf(
  files: FilesInUse,
  gridId: string,
  window: AskedWindow,
  releases: (() => void)[],
): Promise<Asked> {
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
  { rolled }: FilesInUse,
  gridId: string,
  window: TimeWindow,
  { kind, hours: isEnough }: ContentWith,
  units: Map<number, HourUnit>,
  releases: (() => void)[],
): Promise<RolledDay[]> {
  const found: RolledDay[] = []
  const isWanted = (hour: number) => isEnough(hour) && !units.has(hour)
  for (const day of await rolled[kind].rolledIn(gridId, window, isWanted)) {
    const release = await rolled[kind].files.use(day.file)
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
