import type { TimeWindow } from '../../domain/time-window.ts'
import type { Database, Session } from './database.ts'
import type { HourFiles } from './hour-files.ts'
import { type Layout, openFileNumbers } from './layout.ts'
import { loadKeys } from './load-keys.ts'
import { OpenFile } from './open-file.ts'
import type { RecentKeys } from './recent-keys.ts'
import { Scope } from './scope.ts'
import { sealOpenFile } from './sealer.ts'

/** Rows not yet sealed, beyond which writing is refused: they are held in memory. */
const UNSEALED_ROWS_MAX = 1_000_000
const SEAL_RETRY_MS = 5_000

interface OpenFilesOptions {
  openRowsMax: number
  openAgeMaxMs: number
  warn: (message: string) => void
}

/** The open files: one that takes rows, and those before it that are being sealed, oldest first. */
export class OpenFiles {
  current: OpenFile
  private readonly database: Database
  private readonly layout: Layout
  private readonly hourFiles: HourFiles
  private readonly keys: RecentKeys
  private readonly options: OpenFilesOptions
  /** Seals, in transactions of its own. */
  private readonly sealer: Session
  /** Makes files; a connection apart, because a sealing may be under way. */
  private readonly maker: Session
  private sealing: OpenFile[] = []
  /** What changes hour files happens one after another. */
  private work: Promise<void> = Promise.resolve()
  private rotateNow = false
  private closed = false

  private constructor(
    database: Database,
    layout: Layout,
    hourFiles: HourFiles,
    keys: RecentKeys,
    options: OpenFilesOptions,
    sealer: Session,
    maker: Session,
    current: OpenFile,
  ) {
    this.database = database
    this.layout = layout
    this.hourFiles = hourFiles
    this.keys = keys
    this.options = options
    this.sealer = sealer
    this.maker = maker
    this.current = current
  }

  /** Opens what an earlier process left behind and begins a new file. */
  static async open(
    database: Database,
    layout: Layout,
    hourFiles: HourFiles,
    keys: RecentKeys,
    options: OpenFilesOptions,
  ): Promise<OpenFiles> {
    const maker = await database.connect()
    const numbers = await openFileNumbers(layout)
    const left: OpenFile[] = []
    for (const number of numbers) left.push(await OpenFile.recover(maker, layout, number))
    const current = await OpenFile.create(maker, layout, (numbers.at(-1) ?? Date.now()) + 1)
    const files = new OpenFiles(database, layout, hourFiles, keys, options, await database.connect(), maker, current)
    files.sealing = left
    await files.reloadKeys()
    for (const file of left) files.scheduleSeal(file)
    return files
  }

  get unsealedRows(): number {
    return [...this.sealing, this.current].reduce((sum, file) => sum + file.rows, 0)
  }

  /** Whether rows have waited long enough to be sealed though they are few. */
  get isOld(): boolean {
    return this.current.rows > 0 && Date.now() - this.current.createdAtMs >= this.options.openAgeMaxMs
  }

  has(matches: (gridId: string, hour: number) => boolean): boolean {
    const files = [...this.sealing, this.current]
    return files.some((file) =>
      [...file.rowsByGrid].some(([gridId, hours]) => [...hours.keys()].some((hour) => matches(gridId, hour))),
    )
  }

  get isBehind(): boolean {
    return this.unsealedRows > UNSEALED_ROWS_MAX
  }

  async ask<T>(gridId: string, window: TimeWindow | undefined, question: (scope: Scope) => Promise<T>): Promise<T> {
    const files = { hourFiles: this.hourFiles, openFiles: () => [...this.sealing, this.current] }
    return await Scope.ask(this.database, files, gridId, window, question)
  }

  /** Goes on to a new file when the current one has taken enough. */
  async afterCommit(file: OpenFile): Promise<OpenFile> {
    const full = file.rows >= this.options.openRowsMax || (this.rotateNow && file.rows > 0)
    this.rotateNow = false
    if (!full) return file
    const next = await OpenFile.create(this.maker, this.layout, file.number + 1)
    this.sealing.push(file)
    this.current = next
    this.scheduleSeal(file)
    return next
  }

  async settle(commit: () => Promise<void>): Promise<void> {
    this.rotateNow = true
    await commit()
    await this.work
  }

  /** Runs what must not meet a sealing: a removal, a rewriting. */
  async exclusively<T>(task: () => Promise<T>): Promise<T> {
    const done = this.work.then(task)
    this.work = done.then(
      () => undefined,
      () => undefined,
    )
    return await done
  }

  async reloadKeys(): Promise<void> {
    this.keys.clear()
    await loadKeys(this.maker, this.keys, [...this.sealing, this.current], this.hourFiles)
  }

  async close(): Promise<void> {
    this.closed = true
    await this.work
    this.sealer.close()
    this.maker.close()
  }

  private scheduleSeal(file: OpenFile): void {
    void this.exclusively(() => this.seal(file)).catch((error: Error) => {
      if (this.closed) return
      this.options.warn(`sealing failed and will be tried again: ${error.message.split('\n', 1)[0]}`)
      setTimeout(() => this.scheduleSeal(file), SEAL_RETRY_MS).unref()
    })
  }

  private async seal(file: OpenFile): Promise<void> {
    if (this.closed) return
    await sealOpenFile(this.sealer, this.hourFiles, file)
    this.sealing = this.sealing.filter((other) => other !== file)
    await file.remove(this.maker)
  }
}
