import type { Database } from './database.ts'
import type { HourFiles } from './hour-files.ts'
import type { OpenFile } from './open-file.ts'
import { buildOpenKin, searchedHours } from './open-kin.ts'
import type { HourUnit, Scope } from './scope.ts'
import type { Session } from './session.ts'
import { Turns } from './turns.ts'

/** The tables that tell what a Grid's open rows are, as of one moment. */
export class OpenKin {
  readonly name: string
  /** Which open files had how many rows of the Grid. */
  readonly state: string
  /** Which of the open files each hour had sealed. */
  sealed = new Map<number, Set<number>>()
  hours: number[] = []
  numbers: number[] = []
  users = 0
  isOld = false

  constructor(name: string, state: string) {
    this.name = name
    this.state = state
  }

  /** Whether a question, in its own transaction, finds the same files sealed: only then do both together count each row once. */
  async fits(scope: Scope): Promise<boolean> {
    const parts = scope.units.flatMap(({ file, hour }) =>
      file && this.hours.includes(hour)
        ? [`SELECT ${hour} AS hour, open_no FROM ${file.alias}.sealed WHERE open_no IN (${this.numbers.join(', ')})`]
        : [],
    )
    const rows = parts.length > 0 ? await scope.session.rows(parts.join(' UNION ALL ')) : []
    const asked = new Set(scope.units.map(({ hour }) => hour))
    const known = [...this.sealed].flatMap(([hour, numbers]) =>
      this.hours.includes(hour) && asked.has(hour) ? [...numbers].map((number) => `${hour} ${number}`) : [],
    )
    const found = new Set(rows.map((row) => `${row['hour']} ${row['open_no']}`))
    return found.size === known.length && known.every((each) => found.has(each))
  }
}

/** Open rows are looked at once for all questions that come before others are committed. */
export class OpenKinCache {
  private readonly database: Database
  private readonly files: { hourFiles: HourFiles; openFiles: () => OpenFile[] }
  private readonly turns = new Turns()
  private readonly newest = new Map<string, OpenKin>()
  private session: Session | undefined
  private serial = 0

  constructor(database: Database, files: { hourFiles: HourFiles; openFiles: () => OpenFile[] }) {
    this.database = database
    this.files = files
  }

  /** Asks a question with what is known about the open rows; undefined where the Grid has none. */
  async with<T>(gridId: string, isFresh: boolean, question: (kin: OpenKin | undefined) => Promise<T>): Promise<T> {
    const kin = await this.turns.take(gridId, async () => {
      const current = await this.current(gridId, isFresh)
      if (current) current.users++
      return current
    })
    if (!kin) return await question(undefined)
    try {
      return await question(kin)
    } finally {
      kin.users--
      await this.dropUnused(kin)
    }
  }

  close(): void {
    this.session?.close()
  }

  private async current(gridId: string, isFresh: boolean): Promise<OpenKin | undefined> {
    const state = this.stateOf(gridId)
    const known = this.newest.get(gridId)
    if (known?.state === state && !isFresh) return known
    const kin = state === '' ? undefined : await this.build(gridId, state)
    if (known) {
      known.isOld = true
      await this.dropUnused(known)
    }
    if (kin) this.newest.set(gridId, kin)
    else this.newest.delete(gridId)
    return kin
  }

  private stateOf(gridId: string): string {
    const parts = this.files.openFiles().flatMap((open) => {
      const rows = [...(open.rowsByGrid.get(gridId) ?? [])].reduce((sum, [, { spans }]) => sum + spans, 0)
      return rows > 0 ? [`${open.number}:${rows}`] : []
    })
    return parts.join(' ')
  }

  private async build(gridId: string, state: string): Promise<OpenKin> {
    const { hourFiles } = this.files
    const open = this.files.openFiles().filter((file) => file.rowsByGrid.has(gridId))
    const kin = new OpenKin(`kin_${++this.serial}`, state)
    kin.numbers = open.map(({ number }) => number)
    kin.hours = [...new Set(open.flatMap((file) => [...(file.rowsByGrid.get(gridId)?.keys() ?? [])]))]
    const releases = open.map((file) => file.beginRead())
    try {
      const units: HourUnit[] = []
      for (const file of searchedHours(hourFiles, gridId, kin.hours)) {
        const release = await hourFiles.use(file)
        if (!release) continue
        releases.push(release)
        units.push({ hour: file.hour, file, open: [] })
      }
      kin.sealed = await this.inTurn((session) => buildOpenKin(session, gridId, units, open, kin.name))
    } finally {
      for (const release of releases) release()
    }
    return kin
  }

  /** The temporary tables of one connection serve one Grid after another. */
  private async inTurn<T>(task: (session: Session) => Promise<T>): Promise<T> {
    return await this.turns.take('', async () => {
      this.session ??= await this.database.connect()
      return await task(this.session)
    })
  }

  private async dropUnused({ users, isOld, name }: OpenKin): Promise<void> {
    if (users > 0 || !isOld) return
    await this.inTurn((session) =>
      session.run(`DROP TABLE IF EXISTS memory.${name}_requests; DROP TABLE IF EXISTS memory.${name}_calls`),
    )
  }
}
