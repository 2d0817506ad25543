import type { Session } from '../engine/session.ts'
import { type AttachOptions, attachFile, exists, removeFile, removeLogs } from './data-file.ts'
import { Turns } from './turns.ts'

/** A file of few rows takes a quarter of the space with blocks of this size, and a file of many takes no more. */
export const HOUR_FILE_BLOCK_BYTES = 65_536

/**
 * As many as a full open file has (`openRowsMax`). A sealing adds whole groups as they are; what is less goes to the last group,
 * and the next checkpoint writes all of that again.
 */
export const HOUR_FILE_ROWS_PER_GROUP = 61_440

/** Where files are attached, and under which names. */
export interface Attaching extends AttachOptions {
  session: Session
  attached: Set<AttachableFile>
  nextAlias(): string
}

/** A file that is attached while something uses it, and as long afterwards as there is room. */
export abstract class AttachableFile {
  readonly path: string
  /** The name under which statements know it. It changes while the file is used only where the file had to be given up. */
  alias = ''
  users = 0
  lastUsed = 0
  /** It was removed, replaced or set aside: nobody may begin to use it. */
  gone = false
  /** Undefined where it may have changed since somebody looked. */
  diskBytes: number | undefined
  private readonly attaching: Attaching
  private readonly turns = new Turns()
  private isWhole = false
  private onUnused: (() => void)[] = []

  constructor(attaching: Attaching, path: string) {
    this.attaching = attaching
    this.path = path
  }

  /** A crash may have come between the file and its tables, and an earlier program may have had fewer. */
  protected abstract ensureTables(session: Session, alias: string, isNew: boolean): Promise<void>

  /** Attaches the file where it is not, and keeps it attached until the returned function is called. */
  async use(): Promise<() => void> {
    this.users++
    try {
      await this.inTurn(() => this.attach())
    } catch (error) {
      this.release()
      throw error
    }
    return () => this.release()
  }

  /** Makes the file. After a failure nothing is left of it. */
  async create(): Promise<void> {
    await this.inTurn(async () => {
      await removeLogs(this.path)
      try {
        await this.attachAs({ ...this.attaching, blockSizeBytes: HOUR_FILE_BLOCK_BYTES }, true)
      } catch (error) {
        await removeFile(this.path).catch(() => undefined)
        throw error
      }
    })
  }

  /** Lets the file go where nothing uses it. */
  async detachUnused(): Promise<void> {
    await this.inTurn(async () => {
      if (this.users === 0) await this.detach()
    })
  }

  /** Lets the file go though it may be used: the statements that know it fail, and whoever uses it next attaches it anew. */
  async detachNow(): Promise<void> {
    await this.inTurn(() => this.detach())
  }

  async unused(): Promise<void> {
    if (this.users > 0) await new Promise<void>((resolve) => this.onUnused.push(resolve))
  }

  private release(): void {
    if (--this.users > 0) return
    for (const resolve of this.onUnused.splice(0)) resolve()
  }

  private inTurn<T>(task: () => Promise<T>): Promise<T> {
    return this.turns.take('', task)
  }

  private async attach(): Promise<void> {
    if (this.attaching.attached.has(this)) return
    // A file that is attached and not there would be made, and be empty.
    if (!(await exists(this.path))) throw new Error(`Corrupt database file: ${this.path} is not there`)
    await this.attachAs(this.attaching, false)
  }

  private async attachAs(options: AttachOptions, isNew: boolean): Promise<void> {
    const { session, attached, nextAlias } = this.attaching
    const alias = nextAlias()
    await attachFile(session, this.path, alias, { ...options, rowsPerGroup: HOUR_FILE_ROWS_PER_GROUP })
    try {
      if (!this.isWhole) await this.ensureTables(session, alias, isNew)
    } catch (error) {
      await session.run(`DETACH ${alias}`)
      throw error
    }
    this.isWhole = true
    this.alias = alias
    attached.add(this)
  }

  private async detach(): Promise<void> {
    const { session, attached } = this.attaching
    if (!attached.has(this)) return
    await session.run(`DETACH ${this.alias}`)
    this.alias = ''
    attached.delete(this)
  }
}
