import type { DuckDBAppender } from '@duckdb/node-api'
import { StoreUnavailable } from '../../domain/store-errors.ts'
import type { Session } from './database.ts'
import type { OpenFile, OpenTable } from './open-file.ts'
import type { PendingRows } from './pending-rows.ts'

/** Commits begin at least this far apart under load; a lone write waits a little for company. */
const COMMIT_INTERVAL_MS = 100
const LONE_WRITE_DELAY_MS = 10

interface Waiting {
  resolve: () => void
  reject: (error: Error) => void
}

export interface CommitterEvents {
  /** After each commit, before those who wait for it are told: the file that takes the next rows. */
  committed(file: OpenFile): Promise<OpenFile>
  /** A commit failed: what it held, and all that was pending behind it, is forgotten. */
  failed(error: Error): Promise<void>
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
  private timer: NodeJS.Timeout | undefined
  private running: Promise<void> | undefined
  private lastBeginMs = 0

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

  get currentFile(): OpenFile {
    return this.file
  }

  /** Resolves when all that is pending at this moment is durable. */
  durable(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ resolve, reject })
      this.schedule()
    })
  }

  /** Commits what is waiting and stops. */
  async close(): Promise<void> {
    while (this.running || this.waiting.length > 0) await (this.running ?? this.start())
    clearTimeout(this.timer)
    this.closeAppenders()
    this.session.close()
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
      if (this.waiting.length > 0) this.schedule()
    })
    return this.running
  }

  private async commit(): Promise<void> {
    const served = this.waiting
    this.waiting = []
    this.lastBeginMs = performance.now()
    try {
      if (!this.pending.isEmpty) await this.write()
      this.lastCommitMs = performance.now() - this.lastBeginMs
      const next = await this.events.committed(this.file)
      if (next !== this.file) await this.moveTo(next)
      for (const { resolve } of served) resolve()
    } catch (error) {
      await this.fail(error as Error, served)
    }
  }

  private async write(): Promise<void> {
    await this.session.run('BEGIN TRANSACTION')
    this.pending.appendTo(this.file, this.appenders)
    await this.session.run('COMMIT')
    this.commits++
  }

  private async moveTo(file: OpenFile): Promise<void> {
    this.closeAppenders()
    this.file = file
    this.appenders = await file.openAppenders(this.session)
  }

  private closeAppenders(): void {
    for (const appender of this.appenders.values()) appender.closeSync()
    this.appenders.clear()
  }

  /** A record sent twice may wait behind the commit that holds its first copy, so they fail together. */
  private async fail(error: Error, served: Waiting[]): Promise<void> {
    const failed = [...served, ...this.waiting]
    this.waiting = []
    this.pending.discard()
    for (const appender of this.appenders.values()) appender.clear()
    this.file.knownOrigins.clear()
    await this.session.run('ROLLBACK').catch(() => undefined)
    await this.events.failed(error)
    const reason = new StoreUnavailable(`the store could not write: ${error.message.split('\n', 1)[0]}`)
    for (const { reject } of failed) reject(reason)
  }
}
