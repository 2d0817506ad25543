import { stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { StoreUnavailable } from '../../../domain/store-errors.ts'
import type { StoredFile } from '../../telemetry-store.ts'
import type { Database } from '../engine/database.ts'
import { type Layout, NOTES } from '../layout.ts'
import { DayFile } from '../rolled/day-file.ts'
import type { DayFiles } from '../rolled/day-files.ts'
import { checkpointFile } from './checkpoint-file.ts'
import { logBytesOf, logsOf } from './data-file.ts'
import type { Gate } from './gate.ts'
import type { HourFile } from './hour-file.ts'
import type { HourFiles } from './hour-files.ts'

/** Longer than copying takes; soon after, rows that wait to be sealed would have new ones refused. */
const HELD_MS_MAX = 60_000

interface HeldFilesParts {
  database: Database
  layout: Layout
  hourFiles: HourFiles
  dayFiles: DayFiles
  /** What rewrites or removes hours passes here, each hour by itself. */
  rewriting: Gate
  /** What seals an open file passes here. */
  sealing: Gate
  /** Seals everything that is committed. */
  settle: () => Promise<void>
}

/**
 * The files of the store for somebody who copies them. The database locks a file for its process, and gives that up when this
 * process closes the file after reading it; the lock on the folder is what keeps others out.
 */
export class HeldFiles {
  private readonly parts: HeldFilesParts
  private isHeld = false
  private releases: (() => void)[] = []
  private timer: NodeJS.Timeout | undefined

  constructor(parts: HeldFilesParts) {
    this.parts = parts
  }

  /** What is in a file's log is yet to be moved to its file. */
  async atRest(): Promise<StoredFile[]> {
    const found = await this.notes()
    for (const { path } of this.files())
      if ((await logBytesOf(path)) === 0) found.push(...(await this.described([path])))
    return found
  }

  async hold(): Promise<StoredFile[]> {
    if (this.isHeld) throw new StoreUnavailable('the files are held already; try again later')
    this.isHeld = true
    const { rewriting, sealing, settle } = this.parts
    try {
      // Rewriting an hour may take a minute, in which rows go on being sealed.
      await rewriting.close()
      await settle()
      await sealing.close()
      this.timer = setTimeout(() => this.release(), HELD_MS_MAX).unref()
      await this.emptyLogs()
      return [...(await this.notes()), ...(await this.withLogs())]
    } catch (error) {
      this.release()
      throw error
    }
  }

  release(): boolean {
    const wasHeld = this.isHeld
    clearTimeout(this.timer)
    for (const release of this.releases.splice(0)) release()
    this.parts.sealing.open()
    this.parts.rewriting.open()
    this.isHeld = false
    return wasHeld
  }

  /** Lets everything go on, so that the store can be closed. */
  end(): void {
    this.release()
    this.parts.sealing.end()
    this.parts.rewriting.end()
  }

  /** A log that stays, because a question is in the way, is copied with its file. Letting the file go would change both. */
  private async emptyLogs(): Promise<void> {
    const { database, hourFiles, dayFiles } = this.parts
    const session = await database.connect()
    try {
      for (const file of this.files()) {
        if ((await logBytesOf(file.path)) === 0) continue
        const release = file instanceof DayFile ? await dayFiles.use(file) : await hourFiles.use(file)
        if (!release) continue
        this.releases.push(release)
        if (await checkpointFile(session, file)) this.releases.pop()?.()
      }
    } finally {
      session.close()
    }
  }

  private files(): (HourFile | DayFile)[] {
    const { hourFiles, dayFiles } = this.parts
    return [...hourFiles.all(), ...dayFiles.all()]
  }

  private async withLogs(): Promise<StoredFile[]> {
    const paths = this.files().flatMap(({ path }) => [path, ...logsOf(path)])
    return await this.described(paths)
  }

  private async notes(): Promise<StoredFile[]> {
    return await this.described(NOTES.map((name) => join(this.parts.layout.root, name)))
  }

  private async described(paths: string[]): Promise<StoredFile[]> {
    const { root } = this.parts.layout
    const found: StoredFile[] = []
    for (const path of paths) {
      const status = await stat(path).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error
      })
      if (!status) continue
      found.push({ path, name: relative(root, path), bytes: status.size, changedAtMs: status.mtimeMs })
    }
    return found
  }
}
