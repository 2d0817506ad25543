import { setTimeout } from 'node:timers/promises'
import { StoreUnavailable } from '../../../domain/store-errors.ts'
import type { Database } from '../engine/database.ts'
import type { Session } from '../engine/session.ts'
import type { AttachableFile } from '../files/attachable-file.ts'
import { isDamage } from '../files/data-file.ts'
import { HourFile } from '../files/hour-file.ts'
import type { HourFiles } from '../files/hour-files.ts'
import type { OpenFile } from '../files/open-file.ts'
import { nsRangeOfHour } from '../layout.ts'
import type { LiveHour } from '../live/live-hour.ts'
import type { LiveSpans } from '../live/live-spans.ts'
import { OpenFigures } from '../live/open-figures.ts'
import { DayFile } from '../rolled/day-file.ts'
import type { RolledDay } from '../rolled/rolled-days.ts'
import { type AskedFiles, type AskedWindow, askedOf, type FilesInUse, type HourUnit } from './asked-files.ts'
import type { NamedFile } from './hour-names.ts'

const RETRIES_MAX = 3
/** What runs beside a question and needs much memory is done after a while. */
const MEMORY_WAIT_MS = 250

interface UsedFile {
  file: AttachableFile
  alias: string
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
  /** When files were last changed, as known before the question looks at anything. */
  private readonly versions = new Map<NamedFile, number>()
  private readonly live: LiveSpans
  private figures: Promise<OpenFigures> | undefined
  private sealed: Promise<Set<string>> | undefined

  /** The file of an hour, whether or not the question reads it. */
  readonly hourFile = (hour: number): HourFile | undefined => this.hourFiles.find(this.grid.grid, hour)

  private constructor(session: Session, gridId: string, { units, days }: AskedFiles, { hourFiles, live }: FilesInUse) {
    this.session = session
    this.hourFiles = hourFiles
    this.grid = { grid: gridId }
    this.units = units
    this.days = days
    this.live = live
    const used = [
      ...units.map(({ file }) => file),
      ...days.flatMap(({ file, hours }) => [file, ...hours.map(this.hourFile)]),
    ]
    for (const file of used) if (file) this.versions.set(file, file.changedAtMs)
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
    // The connection comes first: a question that waits for one holds no files.
    const answer = async (session: Session) => {
      const asked = await askedOf(files, gridId, window, releases)
      for (const { file } of [...asked.units, ...asked.days]) if (file) used.push({ file, alias: file.alias })
      session.begin()
      return await question(new Scope(session, gridId, asked, files))
    }
    // Not before the transaction has ended, which holds the files as well.
    return await database.ask(answer, () => {
      for (const release of releases) release()
    })
  }

  /**
   * For whoever keeps what was read of a file: what is sealed into it once the question has begun may be missing, and gives it
   * another version.
   */
  versionOf(file: NamedFile): number {
    return this.versions.get(file) ?? file.changedAtMs
  }

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

async function examine({ hourFiles, dayFiles }: FilesInUse, used: UsedFile[]): Promise<void> {
  const files = used.map(({ file }) => file)
  await hourFiles.examine(files.filter((file) => file instanceof HourFile))
  await dayFiles.examine(files.filter((file) => file instanceof DayFile))
}
