import { setTimeout as delay } from 'node:timers/promises'
import { DuckDBInstance } from '@duckdb/node-api'
import { QueryTimeout, StoreUnavailable } from '../../../domain/store-errors.ts'
import { endThread } from './end-thread.ts'
import { Session } from './session.ts'

export interface DatabaseOptions {
  memoryLimitBytes: number
  threads: number
  temporaryFolder: string
  /** How long one question may take, all its statements together. */
  queryTimeoutMs: number
}

/** How many questions run in the database at once; more wait for a connection, up to a limit. */
const CONNECTIONS_MAX = 6
const WAITING_MAX = 500
/**
 * What runs in the background waits before each of its statements until nobody has asked for a moment: who asks one question
 * after another would have such a statement beside each of them. But it does not wait for longer.
 */
const YIELD_MS_MAX = 1_000
const QUIET_MS = 200
const LOOK_AGAIN_MS = 20

interface Waiting {
  take: (session: Session) => void
  refuse: (error: Error) => void
}

/** One in-memory DuckDB instance, to which the files of the store are attached, and its connections. */
export class Database {
  private readonly instance: DuckDBInstance
  private readonly options: DatabaseOptions
  private readonly broken: (error: Error) => void
  /** A connection that stays open keeps the files open, and the folder locked. */
  private readonly sessions = new Set<Session>()
  private readonly idle: Session[] = []
  private readonly asking = new Set<Session>()
  /** Questions that have a connection, and no answer yet. */
  private unanswered = 0
  private waiting: Waiting[] = []
  private lastAnsweredMs = Number.NEGATIVE_INFINITY
  private open = 0
  private connecting = 0
  private closed = false

  private constructor(instance: DuckDBInstance, options: DatabaseOptions, broken: (error: Error) => void) {
    this.instance = instance
    this.options = options
    this.broken = broken
  }

  /** `broken` is called where the database has given itself up, and only a new process helps. */
  static async open(options: DatabaseOptions, broken = endThread): Promise<Database> {
    const instance = await DuckDBInstance.create(':memory:', {
      memory_limit: `${Math.floor(options.memoryLimitBytes / 1024)}KiB`,
      threads: String(options.threads),
      temp_directory: options.temporaryFolder,
      // Open files live in their log alone, and hour files are checkpointed when something was sealed into them.
      checkpoint_threshold: '1TB',
      // Otherwise a checkpoint may write a whole hour again to have fewer groups of rows, which compaction does anyway.
      max_vacuum_tasks: '0',
      // So many rows looked up by their numbers are found without unpacking what lies far from them.
      dynamic_or_filter_threshold: '2000',
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
    })
    const database = new Database(instance, options, broken)
    const session = await database.connect()
    await session.run('PRAGMA disable_checkpoint_on_shutdown')
    session.close()
    return database
  }

  /** A connection for one owner, outside the pool: the writer's, the sealer's. */
  async connect(): Promise<Session> {
    const session = new Session(await this.instance.connect(), this.broken)
    this.sessions.add(session)
    session.onClose = () => this.sessions.delete(session)
    return session
  }

  /** A connection for one owner whose statements may wait: questions come first. */
  async connectInBackground(): Promise<Session> {
    const session = await this.connect()
    session.beforeEach = () => this.quiet()
    return session
  }

  /**
   * Asks one question within the time limit. It begins its own transaction, which ends with it: an answer does not wait for
   * that, a failure does. `ended` is called afterwards.
   */
  async ask<T>(question: (session: Session) => Promise<T>, ended?: () => void): Promise<T> {
    const session = await this.acquire()
    const { queryTimeoutMs } = this.options
    const timeout = () => new QueryTimeout(`the question took longer than ${queryTimeoutMs / 1000} seconds`)
    const timer = setTimeout(() => session.stop(timeout()), queryTimeoutMs)
    const end = async () => {
      clearTimeout(timer)
      this.unanswered--
      this.lastAnsweredMs = performance.now()
      await this.release(session)
      ended?.()
    }
    this.unanswered++
    try {
      const answer = await question(session)
      void end()
      return answer
    } catch (error) {
      await end()
      throw error
    }
  }

  /** Stops the questions that are being answered, and closes every connection. */
  async close(): Promise<void> {
    this.closed = true
    for (const { refuse } of this.waiting.splice(0)) refuse(closedError())
    while (this.asking.size > 0 || this.connecting > 0) {
      for (const session of this.asking) session.stop(closedError())
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    this.idle.length = 0
    for (const session of this.sessions) await session.end(closedError())
    this.instance.closeSync()
  }

  /** Resolves when it is quiet, or soon anyway. */
  private async quiet(): Promise<void> {
    const untilMs = performance.now() + YIELD_MS_MAX
    for (let nowMs = performance.now(); nowMs < untilMs; nowMs = performance.now()) {
      if (this.unanswered === 0 && nowMs - this.lastAnsweredMs >= QUIET_MS) return
      await delay(LOOK_AGAIN_MS)
    }
  }

  private async acquire(): Promise<Session> {
    if (this.closed) throw closedError()
    const session = this.idle.pop() ?? (await this.connectOrWait())
    this.asking.add(session)
    if (this.closed) session.stop(closedError())
    return session
  }

  private async connectOrWait(): Promise<Session> {
    if (this.open >= CONNECTIONS_MAX) return await this.waitForSession()
    this.open++
    this.connecting++
    try {
      return await this.connect()
    } catch (error) {
      this.open--
      throw error
    } finally {
      this.connecting--
    }
  }

  private async waitForSession(): Promise<Session> {
    const busy = 'too many questions are being answered at the moment; try again shortly'
    if (this.waiting.length >= WAITING_MAX) throw new StoreUnavailable(busy)
    return await new Promise((resolve, reject) => {
      const waiting: Waiting = {
        take: (session) => {
          clearTimeout(timer)
          resolve(session)
        },
        refuse: (error) => {
          clearTimeout(timer)
          reject(error)
        },
      }
      const timer = setTimeout(() => {
        this.waiting = this.waiting.filter((other) => other !== waiting)
        reject(new StoreUnavailable(busy))
      }, this.options.queryTimeoutMs)
      this.waiting.push(waiting)
    })
  }

  /** A connection that cannot be brought back to where it began is given up. */
  private async release(session: Session): Promise<void> {
    const isUsable = await session.reset()
    this.asking.delete(session)
    if (!isUsable) {
      session.close()
      this.open--
    } else this.idle.push(session)
    const next = this.waiting.shift()
    if (next) this.acquire().then(next.take, next.refuse)
  }
}

function closedError(): StoreUnavailable {
  return new StoreUnavailable('the store is closed')
}
