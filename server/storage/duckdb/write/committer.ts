import type { DuckDBAppender } from '@duckdb/node-api'
import { StoreUnavailable } from '../../../domain/store-errors.ts'
import type { Session } from '../engine/session.ts'
import type { OpenFile, OpenTable } from '../files/open-file.ts'
import type { PendingRows } from './pending-rows.ts'

/** Commits begin at least this far apart under load; a lone write waits a little for company. */
const COMMIT_INTERVAL_MS = 100
const LONE_WRITE_DELAY_MS = 10

interface Waiting {
  resolve: () => void
  reject: (error: Error) => void
}

export interface CommitterEvents {
  /** Before each commit: resolves when there is room for more rows. */
  room(): Promise<void>
  /** After each commit: a new file where this one has taken enough, or where it shall be left. */
  successorOf(file: OpenFile, leave: boolean): Promise<OpenFile | undefined>
  /** No more rows will come to the one file; they go to the other from now on. */
  moved(from: OpenFile, to: OpenFile): void
  /** The successor cannot be used after all. */
  unusable(successor: OpenFile): Promise<void>
  warn(message: string): void
  /** The writing connection cannot be brought back to order. */
  broken(error: Error): void
}

/**
 * One commit for the rows of many writes. Rows are collected outside any transaction, so that writes go on being taken while
 * a commit is under way; each commit appends what has been collected since the last.
 */
export class Committer {
  commits = 0
  lastCommitMs = 0
  private readonly session: Session
  private readonly pending: PendingRows
  private readonly events: CommitterEvents
  private file: OpenFile
  private appenders = new Map<OpenTable, DuckDBAppender>()
  private waiting: Waiting[] = []
  /** Those whose rows are in the commit that is under way. */
  private served: Waiting[] = []
  /** Those who wait for the file to be left. */
  private leaving: Waiting[] = []
  private timer: NodeJS.Timeout | undefined
  private running: Promise<void> | undefined
  private lastBeginMs = 0
  private closed = false

  private constructor(session: Session, pending: PendingRows, events: CommitterEvents, file: OpenFile) {
    this.session = session
    this.pending = pending
    this.events = events
    this.file = file
  }

  static async open(
    session: Session,
    pending: PendingRows,
    events: CommitterEvents,
    file: OpenFile,
  ): Promise<Committer> {
    const committer = new Committer(session, pending, events, file)
    committer.appenders = await file.openAppenders(session)
    return committer
  }

  /** Resolves when all that is pending at this moment is durable. */
  durable(): Promise<void> {
    return this.wait((waiting) => this.waiting.push(waiting))
  }

  /** Resolves when all that is pending at this moment is durable, and in files that take no more rows. */
  leaveFile(): Promise<void> {
    return this.wait((waiting) => this.leaving.push(waiting))
  }

  /** Commits what is waiting and stops. */
  async close(): Promise<void> {
    this.closed = true
    while (this.running || this.isWanted) await (this.running ?? this.start())
    clearTimeout(this.timer)
    closeAll(this.appenders)
    this.session.close()
  }

  private wait(enter: (waiting: Waiting) => void): Promise<void> {
    if (this.closed) return Promise.reject(new StoreUnavailable('the store is closed'))
    return new Promise((resolve, reject) => {
      enter({ resolve, reject })
      this.schedule()
    })
  }

  private get isWanted(): boolean {
    return this.waiting.length > 0 || this.leaving.length > 0
  }

  private schedule(): void {
    if (this.timer || this.running) return
    const sinceLastMs = performance.now() - this.lastBeginMs
    const delayMs = Math.max(LONE_WRITE_DELAY_MS, COMMIT_INTERVAL_MS - sinceLastMs)
    this.timer = setTimeout(() => void this.start(), delayMs)
  }

  private start(): Promise<void> {
    clearTimeout(this.timer)
    this.timer = undefined
    this.running = this.commit().finally(() => {
      this.running = undefined
      if (this.isWanted) this.schedule()
    })
    return this.running
  }

  private async commit(): Promise<void> {
    await this.events.room()
    this.lastBeginMs = performance.now()
    const leaving = this.leaving.splice(0)
    try {
      await this.write()
    } catch (error) {
      const reason = await this.recover(error as Error)
      for (const { reject } of leaving) reject(reason)
      return
    }
    this.lastCommitMs = performance.now() - this.lastBeginMs
    await this.moveOn(leaving)
  }

  private async write(): Promise<void> {
    if (!this.pending.isEmpty) {
      await this.session.run('BEGIN TRANSACTION')
      // Whoever came while the transaction began has its rows in it, and succeeds or fails with it.
      this.served = this.waiting.splice(0)
      const appended = this.pending.appendTo(this.file, this.appenders)
      await this.session.run('COMMIT')
      this.pending.confirm(appended, this.file)
      this.commits++
    } else this.served = this.waiting.splice(0)
    for (const { resolve } of this.served.splice(0)) resolve()
  }

  /** Goes on to a new file where it is time. What was committed stays so if that fails, and the old file serves on. */
  private async moveOn(leaving: Waiting[]): Promise<void> {
    try {
      const next = await this.events.successorOf(this.file, leaving.length > 0)
      if (next) await this.moveTo(next)
      for (const { resolve } of leaving) resolve()
    } catch (error) {
      this.events.warn(`no new file could be begun, and the last one serves on: ${firstLine(error)}`)
      for (const { reject } of leaving) reject(error as Error)
    }
  }

  private async moveTo(next: OpenFile): Promise<void> {
    const appenders = await next.openAppenders(this.session).catch(async (error) => {
      await this.events.unusable(next)
      throw error
    })
    const last = this.file
    closeAll(this.appenders)
    this.appenders = appenders
    this.file = next
    this.events.moved(last, next)
  }

  /** A record sent twice may wait behind the commit that holds its first copy, so they fail together. */
  private async recover(error: Error): Promise<Error> {
    const failed = [...this.served.splice(0), ...this.waiting.splice(0)]
    this.pending.discard()
    this.file.knownOrigins.clear()
    const reason = new StoreUnavailable(`the store could not write: ${firstLine(error)}`)
    try {
      await this.session.run('ROLLBACK').catch((second: Error) => {
        // Most failures have ended the transaction already.
        if (!second.message.includes('no transaction is active')) throw second
      })
      closeAll(this.appenders)
      this.appenders = await this.file.openAppenders(this.session)
    } catch (second) {
      this.events.broken(second as Error)
    }
    for (const { reject } of failed) reject(reason)
    return reason
  }
}

function closeAll(appenders: Map<OpenTable, DuckDBAppender>): void {
  for (const appender of appenders.values()) {
    try {
      appender.clear()
      appender.closeSync()
    } catch {
      // What an appender holds that cannot be written is what has just been given up.
    }
  }
  appenders.clear()
}

function firstLine(error: unknown): string {
  return (error as Error).message.split('\n', 1)[0] as string
}
