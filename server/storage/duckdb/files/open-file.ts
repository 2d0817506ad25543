import type { DuckDBAppender } from '@duckdb/node-api'
import type { Session } from '../engine/session.ts'
import { hourOfColumn, type Layout, openFilePath, syncFolder } from '../layout.ts'
import { createTables, OPEN_FILE_TABLES } from '../schema.ts'
import type { RowCount } from '../write/pending-rows.ts'
import { type AttachOptions, attachFile, logBytesOf, removeFile, shrinkLog } from './data-file.ts'

const TRUNCATE_STEP_BYTES = 16 * 1024 * 1024

export type OpenTable = keyof typeof OPEN_FILE_TABLES
export type RowTable = Exclude<OpenTable, 'origins'>
/** How many rows of each table there are. */
export type RowCounts = Record<RowTable, number>

const ADDED_TO_LOGS = ['key_set UBIGINT', 'template VARCHAR'].map((column) => `logs ADD COLUMN IF NOT EXISTS ${column}`)

const TIME_COLUMNS: Record<RowTable, string> = { spans: 'start_ns', logs: 'time_ns', points: 'time_ns' }

/**
 * A file that takes rows as they come. It is written by the committer until it is large or old enough, then sealed: its
 * rows are moved to the hour files they belong to, and it is removed.
 */
export class OpenFile {
  readonly number: number
  readonly alias: string
  readonly path: string
  readonly createdAtMs = performance.now()
  /** Rows by Grid and hour, so that a question or a sealing knows where to look. */
  readonly rowsByGrid = new Map<string, Map<number, RowCounts>>()
  readonly knownOrigins = new Set<string>()
  rows = 0
  logBytes = 0
  private attached = false
  private readers = 0
  private onUnused: (() => void) | undefined

  private constructor(number: number, path: string) {
    this.number = number
    this.alias = `open_${number}`
    this.path = path
  }

  static async create(session: Session, layout: Layout, number: number): Promise<OpenFile> {
    const file = new OpenFile(number, openFilePath(layout, number))
    try {
      await file.attach(session, { damagedFolder: layout.damagedFolder, warn: () => undefined })
      await syncFolder(layout.openFolder)
    } catch (error) {
      await file.remove(session).catch(() => undefined)
      throw error
    }
    return file
  }

  /** Opens a file that an earlier process left: the database replays its log. */
  static async recover(session: Session, layout: Layout, number: number, options: AttachOptions): Promise<OpenFile> {
    const file = new OpenFile(number, openFilePath(layout, number))
    await file.attach(session, options)
    // Files of an earlier program have none: each text then is a set of its own, and is asked for its template when it is read.
    for (const column of ['spans ADD COLUMN IF NOT EXISTS key_set UBIGINT', ...ADDED_TO_LOGS])
      await session.run(`ALTER TABLE ${file.alias}.${column}`)
    for (const table of Object.keys(TIME_COLUMNS) as RowTable[]) {
      const counts = await session.rows(
        `SELECT grid::VARCHAR AS grid, ${hourOfColumn(TIME_COLUMNS[table])} AS hour, count(*)::INTEGER AS rows
         FROM ${file.alias}.${table} GROUP BY ALL`,
      )
      for (const { grid, hour, rows } of counts)
        file.count({ gridId: String(grid), hour: Number(hour), table, rows: Number(rows) })
    }
    await file.measure()
    return file
  }

  count({ gridId, hour, table, rows }: RowCount): void {
    const hours = this.rowsByGrid.get(gridId) ?? new Map<number, RowCounts>()
    this.rowsByGrid.set(gridId, hours)
    const counts = hours.get(hour) ?? { spans: 0, logs: 0, points: 0 }
    hours.set(hour, counts)
    counts[table] += rows
    this.rows += rows
  }

  async measure(): Promise<void> {
    this.logBytes = await logBytesOf(this.path)
  }

  async openAppenders(session: Session): Promise<Map<OpenTable, DuckDBAppender>> {
    const appenders = new Map<OpenTable, DuckDBAppender>()
    for (const table of Object.keys(OPEN_FILE_TABLES) as OpenTable[])
      appenders.set(table, await session.connection.createAppender(table, 'main', this.alias))
    return appenders
  }

  /** While a question reads the file, it stays. */
  beginRead(): () => void {
    this.readers++
    return () => {
      if (--this.readers === 0) this.onUnused?.()
    }
  }

  /** Detaches and deletes the file once no question reads it. May be called again after it failed. */
  async remove(session: Session): Promise<void> {
    if (this.readers > 0) await new Promise<void>((resolve) => (this.onUnused = resolve))
    if (this.attached) await session.run(`DETACH ${this.alias}`)
    this.attached = false
    await shrinkLog(this.path, TRUNCATE_STEP_BYTES)
    await removeFile(this.path)
  }

  private async attach(session: Session, options: AttachOptions): Promise<void> {
    await attachFile(session, this.path, this.alias, options)
    this.attached = true
    await session.transact(...createTables(this.alias, OPEN_FILE_TABLES))
  }
}
