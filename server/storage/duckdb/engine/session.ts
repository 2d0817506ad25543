import { setImmediate } from 'node:timers/promises'
import type { DuckDBConnection, DuckDBDataChunk, DuckDBMaterializedResult, DuckDBValue } from '@duckdb/node-api'
import { StoreUnavailable } from '../../../domain/store-errors.ts'
import { ChunkCells } from './chunk-cells.ts'
import { endThread } from './end-thread.ts'
import { NumberColumns } from './number-columns.ts'

export type Parameters = Record<string, DuckDBValue>
export type Row = Record<string, DuckDBValue>

const INTERRUPT_AGAIN_MS = 50
/** In characters or bytes. An answer that is held whole must leave room for everything else. */
const ANSWER_TEXT_MAX = 128 * 1024 * 1024
/** An answer is read at one go unless that takes longer: others wait for the thread. */
const READ_MS_MAX = 4
/** Which Grid is asked about is often the only parameter, and mostly the same as before: then nothing needs to be prepared. */
const GRID = '$grid::UUID'
const GRID_VARIABLE = "getvariable('grid')"

/** A connection on which statements run one after another. A statement says by a cast what type a parameter has. */
export class Session {
  readonly connection: DuckDBConnection
  /** Called once it is closed. */
  onClose: (() => void) | undefined
  /** What each statement waits for. */
  beforeEach: (() => Promise<void>) | undefined
  private readonly broken: (error: Error) => void
  private turn: Promise<unknown> = Promise.resolve()
  private stopped: Error | undefined
  private interrupting: NodeJS.Timeout | undefined
  private isToBegin = false
  /** What the connection's variable holds. */
  private grid: DuckDBValue | undefined

  /** `broken` is called where the database has given itself up: no statement will succeed any more. */
  constructor(connection: DuckDBConnection, broken = endThread) {
    this.connection = connection
    this.broken = broken
  }

  /** The next statement begins a transaction. */
  begin(): void {
    this.isToBegin = true
  }

  async run(sql: string, parameters?: Parameters): Promise<void> {
    await this.inTurn(() => this.execute(sql, parameters))
  }

  /** Runs the statements as one transaction, which leaves nothing open when it fails. */
  async transact(...statements: string[]): Promise<void> {
    await this.inTurn(async () => {
      try {
        await this.connection.run(`BEGIN TRANSACTION; ${statements.join('; ')}; COMMIT`)
      } catch (error) {
        await this.connection.run('ROLLBACK').catch(() => undefined)
        throw error
      }
    })
  }

  async rows(sql: string, parameters?: Parameters): Promise<Row[]> {
    return await this.inTurn(async () => {
      const result = await this.execute(sql, parameters)
      const names = result.deduplicatedColumnNames()
      const rows: Row[] = []
      let textLength = 0
      await this.read(result, (chunk) => {
        const first = rows.length
        chunk.appendToRowObjects(names, rows)
        for (let i = first; i < rows.length; i++)
          for (const value of Object.values(rows[i] as Row)) if (typeof value === 'string') textLength += value.length
        if (textLength > ANSWER_TEXT_MAX) throw tooLarge()
      })
      return rows
    })
  }

  /**
   * The answer to a statement that selects nothing but numbers, none of them null. The database's own memory is read: many rows
   * as objects take longer than the statement.
   */
  async numbers(sql: string, parameters?: Parameters): Promise<NumberColumns> {
    return await this.inTurn(async () => {
      const result = await this.execute(sql, parameters)
      const numbers = new NumberColumns(result.columnTypes())
      await this.read(result, (chunk) => numbers.add(chunk))
      return numbers
    })
  }

  /** The answer as the database has it, a part at a time. */
  async chunks(sql: string, each: (chunk: DuckDBDataChunk) => void, parameters?: Parameters): Promise<void> {
    await this.inTurn(async () => this.read(await this.execute(sql, parameters), each))
  }

  /** An answer that is held whole, read by columns. */
  async cells(sql: string, each: (cells: ChunkCells) => void, parameters?: Parameters): Promise<void> {
    let textBytes = 0
    const read = (chunk: DuckDBDataChunk) => {
      const cells = new ChunkCells(chunk)
      each(cells)
      textBytes += cells.textBytes
      if (textBytes > ANSWER_TEXT_MAX) throw tooLarge()
    }
    await this.chunks(sql, read, parameters)
  }

  /** Ends the statement that runs, and refuses all later ones, with this error. */
  stop(reason: Error): void {
    if (this.stopped) return
    this.stopped = reason
    this.connection.interrupt()
    // An interruption between two statements is forgotten by the database, and one may be about to begin.
    this.interrupting = setInterval(() => this.connection.interrupt(), INTERRUPT_AGAIN_MS)
  }

  /** For what must be put in order also after a stop. */
  async evenIfStopped(sql: string): Promise<void> {
    const reason = this.stopped
    clearInterval(this.interrupting)
    this.stopped = undefined
    try {
      await this.run(sql)
    } finally {
      this.stopped = reason
    }
  }

  /** Ends a transaction and forgets that it was stopped. False where the connection must not be used again. */
  async reset(): Promise<boolean> {
    clearInterval(this.interrupting)
    this.stopped = undefined
    if (this.isToBegin) {
      this.isToBegin = false
      return true
    }
    return await this.run('ROLLBACK').then(
      () => true,
      () => false,
    )
  }

  /** Ends the statement that runs, if any, and closes: a connection must not be closed under a statement. */
  async end(reason: Error): Promise<void> {
    this.stop(reason)
    await this.turn
    this.close()
  }

  close(): void {
    clearInterval(this.interrupting)
    this.connection.disconnectSync()
    this.onClose?.()
  }

  /** By as few ways to the database and back as can be: each may have to wait. */
  private async execute(sql: string, parameters: Parameters | undefined): Promise<DuckDBMaterializedResult> {
    const given = named(sql, parameters)
    const { grid, ...others } = given
    const isOnlyGrid = grid !== undefined && Object.keys(others).length === 0
    if (isOnlyGrid && grid !== this.grid) await this.setGrid(grid)
    const begin = this.isToBegin ? 'BEGIN TRANSACTION; ' : ''
    this.isToBegin = false
    if (isOnlyGrid) return await this.connection.run(begin + sql.replaceAll(GRID, GRID_VARIABLE))
    if (Object.keys(given).length === 0) return await this.connection.run(begin + sql)
    if (begin) await this.connection.run(begin)
    return await this.executePrepared(sql, given)
  }

  private async executePrepared(sql: string, given: Parameters): Promise<DuckDBMaterializedResult> {
    const prepared = await this.connection.prepare(sql)
    try {
      prepared.bind(given)
      return await prepared.run()
    } finally {
      prepared.destroySync()
    }
  }

  private async setGrid(grid: DuckDBValue): Promise<void> {
    this.grid = undefined
    await this.executePrepared(`SET VARIABLE grid = ${GRID}`, { grid })
    this.grid = grid
  }

  /** An answer is in memory as a whole: its parts are taken from there, without another way to the database for each. */
  private async read(result: DuckDBMaterializedResult, each: (chunk: DuckDBDataChunk) => void): Promise<void> {
    const { chunkCount } = result
    let untilMs = performance.now() + READ_MS_MAX
    for (let i = 0; i < chunkCount; i++) {
      each(result.getChunk(i))
      if (performance.now() >= untilMs) {
        await setImmediate()
        untilMs = performance.now() + READ_MS_MAX
      }
      if (this.stopped) throw this.stopped
    }
  }

  private async inTurn<T>(statement: () => Promise<T>): Promise<T> {
    const done = this.turn.then(async () => {
      await this.beforeEach?.()
      if (this.stopped) throw this.stopped
      return await statement()
    })
    this.turn = done.catch(() => undefined)
    try {
      return await done
    } catch (error) {
      if (isFatal(error as Error)) this.broken(error as Error)
      throw this.stopped ?? error
    }
  }
}

function tooLarge(): StoreUnavailable {
  return new StoreUnavailable('the answer is too large: ask for less')
}

/** After such an error the database refuses every statement until it is opened anew. */
function isFatal({ message }: Error): boolean {
  return /^FATAL Error|because of a previous fatal error/.test(message)
}

/** The database refuses parameters that a statement does not name, and takes longer with any. */
function named(sql: string, parameters: Parameters = {}): Parameters {
  const names = new Set(sql.match(/\$[a-z]\w*/g))
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => names.has(`$${name}`)))
}
