import { type DuckDBConnection, DuckDBInstance, type DuckDBValue } from '@duckdb/node-api'
import { QueryTimeout, StoreUnavailable } from '../../domain/store-errors.ts'

export type Parameters = Record<string, DuckDBValue>
export type Row = Record<string, DuckDBValue>

export interface DatabaseOptions {
  memoryLimitBytes: number
  threads: number
  temporaryFolder: string
  /** How long one question may take, all its statements together. */
  queryTimeoutMs: number
}

/** How many questions run in the database at once; more wait for a connection. */
const CONNECTIONS_MAX = 6

/** One in-memory DuckDB instance, to which the files of the store are attached, and its connections. */
export class Database {
  private readonly instance: DuckDBInstance
  private readonly queryTimeoutMs: number
  private readonly idle: DuckDBConnection[] = []
  private readonly waiting: ((connection: DuckDBConnection) => void)[] = []
  private open = 0

  private constructor(instance: DuckDBInstance, queryTimeoutMs: number) {
    this.instance = instance
    this.queryTimeoutMs = queryTimeoutMs
  }

  static async open(options: DatabaseOptions): Promise<Database> {
    const instance = await DuckDBInstance.create(':memory:', {
      memory_limit: `${Math.floor(options.memoryLimitBytes / 1024)}KiB`,
      threads: String(options.threads),
      temp_directory: options.temporaryFolder,
      // Open files live in their log alone, and hour files are checkpointed when something was sealed into them.
      checkpoint_threshold: '1TB',
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
    })
    const database = new Database(instance, options.queryTimeoutMs)
    const connection = await instance.connect()
    await connection.run('PRAGMA disable_checkpoint_on_shutdown')
    connection.disconnectSync()
    return database
  }

  /** A connection for one owner, outside the pool: the writer's, the sealer's. */
  async connect(): Promise<Session> {
    return new Session(await this.instance.connect())
  }

  /** Asks one question, in one read transaction, within the time limit. */
  async ask<T>(question: (session: Session) => Promise<T>): Promise<T> {
    const connection = await this.acquire()
    let timedOut = false
    const timer = setTimeout(() => {
      timedOut = true
      connection.interrupt()
    }, this.queryTimeoutMs)
    const session = new Session(connection)
    try {
      await session.run('BEGIN TRANSACTION')
      return await question(session)
    } catch (error) {
      if (timedOut) throw new QueryTimeout(`the question took longer than ${this.queryTimeoutMs / 1000} seconds`)
      throw error
    } finally {
      clearTimeout(timer)
      await session.run('ROLLBACK').catch(() => undefined)
      this.release(connection)
    }
  }

  close(): void {
    for (const connection of this.idle.splice(0)) connection.disconnectSync()
    this.instance.closeSync()
  }

  private async acquire(): Promise<DuckDBConnection> {
    const connection = this.idle.pop()
    if (connection) return connection
    if (this.open < CONNECTIONS_MAX) {
      this.open++
      return await this.instance.connect()
    }
    return await new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.waiting.splice(this.waiting.indexOf(take), 1)
        reject(new StoreUnavailable('too many questions are being answered at the moment; try again shortly'))
      }, this.queryTimeoutMs)
      const take = (free: DuckDBConnection) => {
        clearTimeout(timer)
        resolve(free)
      }
      this.waiting.push(take)
    })
  }

  private release(connection: DuckDBConnection): void {
    const next = this.waiting.shift()
    if (next) next(connection)
    else this.idle.push(connection)
  }
}

/** A connection on which statements run one after another. A statement says by a cast what type a parameter has. */
export class Session {
  readonly connection: DuckDBConnection

  constructor(connection: DuckDBConnection) {
    this.connection = connection
  }

  async run(sql: string, parameters?: Parameters): Promise<void> {
    await this.connection.run(sql, named(sql, parameters))
  }

  async rows(sql: string, parameters?: Parameters): Promise<Row[]> {
    const reader = await this.connection.runAndReadAll(sql, named(sql, parameters))
    return reader.getRowObjects() as Row[]
  }

  close(): void {
    this.connection.disconnectSync()
  }
}

/** The database refuses parameters that a statement does not name. */
function named(sql: string, parameters: Parameters | undefined): Parameters | undefined {
  if (!parameters) return undefined
  const names = new Set(sql.match(/\$[a-z]\w*/g))
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => names.has(`$${name}`)))
}
