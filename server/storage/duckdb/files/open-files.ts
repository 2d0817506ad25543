import { readdir } from 'node:fs/promises'
import { StoreUnavailable } from '../../../domain/store-errors.ts'
import type { Database } from '../engine/database.ts'
import { giveBackMemory } from '../engine/give-back-memory.ts'
import type { Session } from '../engine/session.ts'
import { type Layout, openFileNumbers, openFilePath, reserveOpenNumbers } from '../layout.ts'
import type { LiveSpans } from '../live/live-spans.ts'
import type { Rolled } from '../rolled/rolled.ts'
import { HourBusy, sealOpenFile } from '../seal/sealer.ts'
import { type AttachOptions, isDamage, moveAside, neverHeldAnything, removeFile } from './data-file.ts'
import type { Gate } from './gate.ts'
import type { HourFiles } from './hour-files.ts'
import { OpenFile } from './open-file.ts'

/** Not yet sealed, beyond which writing is refused: unsealed rows are held in memory, and a restart reads them all. */
const UNSEALED_ROWS_MAX = 1_000_000
const UNSEALED_BYTES_MAX = 1024 * 1024 * 1024
/** Large records fill a file before it has its number of rows. */
const OPEN_LOG_BYTES_MAX = 256 * 1024 * 1024
/** With so many files to seal, commits wait for one to be: their rows are held in memory. */
const FILES_TO_SEAL_MAX = 3
/** A commit waits no longer: whoever sent its rows waits too. */
const ROOM_WAIT_MS_MAX = 1_000
const GIVE_BACK_INTERVAL_MS = 500
const SEAL_RETRY_MS = 5_000
const FAILURES_PER_WARNING = 12

interface OpenFilesOptions {
  openRowsMax: number
  openAgeMaxMs: number
  /** Of the database, for a statement. */
  threads: number
  live: LiveSpans
  rolled: Rolled
  /** Closed while nothing may be sealed. */
  gate: Gate
  /** Whether the disk has room for moving rows about. */
  hasRoom: () => boolean
  warn: (message: string) => void
}

/** The open files: one that takes rows, and those before it that are being sealed, oldest first. */
export class OpenFiles {
  private readonly layout: Layout
  private readonly hourFiles: HourFiles
  private readonly options: OpenFilesOptions
  private readonly attachOptions: AttachOptions
  /** Seals, in transactions of its own. */
  private readonly sealer: Session
  /** Makes and removes files; a connection apart, because a sealing may be under way. */
  private readonly maker: Session
  private file: OpenFile | undefined
  private nextNumber = 0
  private sealing: OpenFile[] = []
  /** Sealings happen one after another. */
  private work: Promise<void> = Promise.resolve()
  private readonly removals = new Set<Promise<void>>()
  private readonly failures = new Map<OpenFile, number>()
  private readonly retries = new Map<OpenFile, NodeJS.Timeout>()
  /** Those who wait for a file to be sealed. */
  private readonly waiting = new Set<() => void>()
  private gaveBackMs = 0
  private closed = false

  private constructor(
    layout: Layout,
    hourFiles: HourFiles,
    options: OpenFilesOptions,
    sealer: Session,
    maker: Session,
  ) {
    this.layout = layout
    this.hourFiles = hourFiles
    this.options = options
    this.attachOptions = { damagedFolder: layout.damagedFolder, warn: options.warn }
    this.sealer = sealer
    this.maker = maker
  }

  /** Opens what an earlier process left behind and begins a new file. */
  static async open(
    database: Database,
    layout: Layout,
    hourFiles: HourFiles,
    options: OpenFilesOptions,
  ): Promise<OpenFiles> {
    const [sealer, maker] = [await database.connect(), await database.connect()]
    const files = new OpenFiles(layout, hourFiles, options, sealer, maker)
    files.nextNumber = await reserveOpenNumbers(layout)
    await files.recover()
    files.file = await files.create()
    return files
  }

  get current(): OpenFile {
    if (!this.file) throw new Error('the files are not open yet')
    return this.file
  }

  /** Every file with rows that may not be sealed yet, oldest first. */
  get all(): OpenFile[] {
    return [...this.sealing, this.current]
  }

  get unsealedRows(): number {
    return this.all.reduce((sum, file) => sum + file.rows, 0)
  }

  get logBytes(): number {
    return this.all.reduce((sum, file) => sum + file.logBytes, 0)
  }

  /** Whether rows have waited long enough to be sealed though they are few. */
  get isOld(): boolean {
    return this.current.rows > 0 && performance.now() - this.current.createdAtMs >= this.options.openAgeMaxMs
  }

  get isBehind(): boolean {
    return this.unsealedRows > UNSEALED_ROWS_MAX || this.logBytes > UNSEALED_BYTES_MAX
  }

  has(matches: (gridId: string, hour: number) => boolean): boolean {
    return this.all.some((file) =>
      [...file.rowsByGrid].some(([gridId, hours]) => [...hours.keys()].some((hour) => matches(gridId, hour))),
    )
  }

  /** A new file where this one has taken enough rows, or where it shall be left and has any. */
  async successorOf(file: OpenFile, leave: boolean): Promise<OpenFile | undefined> {
    await file.measure()
    const isFull = file.rows >= this.options.openRowsMax || file.logBytes >= OPEN_LOG_BYTES_MAX
    return isFull || (leave && file.rows > 0) ? await this.create() : undefined
  }

  moved(from: OpenFile, to: OpenFile): void {
    this.sealing.push(from)
    this.file = to
    this.scheduleSeal(from)
  }

  async unusable(successor: OpenFile): Promise<void> {
    await successor.remove(this.maker).catch(() => undefined)
  }

  /** Resolves when sealing keeps up with what is written, or soon anyway. */
  async room(): Promise<void> {
    if (this.sealing.length < FILES_TO_SEAL_MAX || this.closed) return
    await new Promise<void>((resolve) => {
      const go = () => {
        clearTimeout(timer)
        this.waiting.delete(go)
        resolve()
      }
      const timer = setTimeout(go, ROOM_WAIT_MS_MAX)
      this.waiting.add(go)
    })
  }

  /** Begins to seal what an earlier process left. */
  sealLeft(): void {
    for (const file of this.sealing) this.scheduleSeal(file)
  }

  /** Resolves once every file that takes no more rows is sealed; rejects where one could not be. */
  async sealed(): Promise<void> {
    const files = [...this.sealing]
    for (const file of [...this.retries.keys()]) this.scheduleSeal(file)
    await this.work
    await Promise.all(this.removals)
    if (files.some((file) => this.sealing.includes(file)))
      throw new StoreUnavailable('the store could not move its rows to their place yet; try again later')
  }

  async close(): Promise<void> {
    this.closed = true
    for (const timer of this.retries.values()) clearTimeout(timer)
    await this.work
    await Promise.all(this.removals)
    this.sealer.close()
    this.maker.close()
  }

  private async create(): Promise<OpenFile> {
    return await OpenFile.create(this.maker, this.layout, this.nextNumber++)
  }

  private async recover(): Promise<void> {
    const numbers = await openFileNumbers(this.layout)
    await this.setOrphansAside(numbers)
    for (const number of numbers) {
      const file = await this.recoverFile(number)
      if (file) this.sealing.push(file)
    }
  }

  /** What cannot be read must not keep the rest from being served. */
  private async recoverFile(number: number): Promise<OpenFile | undefined> {
    const path = openFilePath(this.layout, number)
    try {
      return await OpenFile.recover(this.maker, this.layout, number, this.attachOptions)
    } catch (error) {
      if (!isDamage(error as Error)) throw error
      if (await neverHeldAnything(path)) await removeFile(path)
      else await this.setAside(path, `${number}.duckdb`, error as Error)
      return undefined
    }
  }

  /** Logs whose file is gone: a power failure may undo one of two removals. */
  private async setOrphansAside(numbers: number[]): Promise<void> {
    for (const name of await readdir(this.layout.openFolder)) {
      const number = Number.parseInt(name, 10)
      if (name.endsWith('.duckdb') || numbers.includes(number)) continue
      const path = openFilePath(this.layout, number)
      await this.setAside(path, `${number}.duckdb`, new Error('its file is not there'))
    }
  }

  private async setAside(path: string, name: string, error: Error): Promise<void> {
    const kept = await moveAside(path, this.layout.damagedFolder, `open-${name}`)
    const reason = error.message.split('\n', 1)[0]
    this.options.warn(`a file of new telemetry cannot be read and was set aside as ${kept}: ${reason}`)
  }

  private scheduleSeal(file: OpenFile): void {
    clearTimeout(this.retries.get(file))
    this.retries.delete(file)
    this.work = this.work
      .then(() => this.options.gate.pass(() => this.seal(file)))
      .catch((error: Error) => {
        if (this.closed) return
        if (!(error instanceof HourBusy)) this.warnOfFailure(file, error)
        const timer = setTimeout(() => this.scheduleSeal(file), SEAL_RETRY_MS)
        this.retries.set(file, timer.unref())
      })
  }

  private async seal(file: OpenFile): Promise<void> {
    if (this.closed) return
    if (!this.options.hasRoom()) throw new Error('the disk is nearly full')
    const { hourFiles: files, sealer: session } = this
    const { live, rolled } = this.options
    await sealOpenFile({ session, files, rolled, open: file, live, isStopping: () => this.closed })
    if (this.closed) return
    const sealed = live.file(file.number)
    if (sealed) sealed.isSealed = true
    this.sealing = this.sealing.filter((other) => other !== file)
    this.failures.delete(file)
    for (const go of [...this.waiting]) go()
    this.remove(file)
  }

  private async giveBack(): Promise<void> {
    if (performance.now() - this.gaveBackMs < GIVE_BACK_INTERVAL_MS) return
    this.gaveBackMs = performance.now()
    await giveBackMemory(this.maker, this.options.threads)
  }

  /** Waits for the questions that read the file, while others are sealed. What stays is found sealed by the next process. */
  private remove(file: OpenFile): void {
    const removal = file
      .remove(this.maker)
      .then(() => this.giveBack())
      .catch((error: Error) => {
        this.options.warn(`a sealed file could not be removed and stays until the next start: ${error.message}`)
      })
      .finally(() => this.options.live.dropFile(file.number))
    this.removals.add(removal)
    void removal.then(() => this.removals.delete(removal))
  }

  private warnOfFailure(file: OpenFile, error: Error): void {
    const failures = this.failures.get(file) ?? 0
    this.failures.set(file, failures + 1)
    if (failures % FAILURES_PER_WARNING > 0) return
    this.options.warn(`sealing failed and will be tried again: ${error.message.split('\n', 1)[0]}`)
  }
}
