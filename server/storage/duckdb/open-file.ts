import { stat, truncate, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { DuckDBAppender } from '@duckdb/node-api'
import type { Session } from './database.ts'
import { type Layout, openFilePath, syncFolder } from './layout.ts'
import { createTables, OPEN_FILE_TABLES } from './schema.ts'

const TRUNCATE_STEP_BYTES = 16 * 1024 * 1024

export type OpenTable = keyof typeof OPEN_FILE_TABLES

/**
 * A file that takes rows as they come. It is written by the committer until it is large or old enough, then sealed: its
 * rows are moved to the hour files they belong to, and it is removed.
 */
export class OpenFile {
  readonly number: number
  readonly alias: string
  readonly path: string
  readonly createdAtMs = Date.now()
  /** Rows by Grid and hour, so that a question or a sealing knows where to look. */
  readonly rowsByGrid = new Map<string, Map<number, number>>()
  readonly knownOrigins = new Set<string>()
  rows = 0
  bytes = 0
  private readers = 0
  private onUnused: (() => void) | undefined

  private constructor(number: number, path: string) {
    this.number = number
    this.alias = `open_${number}`
    this.path = path
  }

  static async create(session: Session, layout: Layout, number: number): Promise<OpenFile> {
    const file = new OpenFile(number, openFilePath(layout, number))
    await file.attach(session)
    await session.run(createTables(file.alias, OPEN_FILE_TABLES))
    await syncFolder(layout.openFolder)
    return file
  }

  /** Opens a file that an earlier process left: the database replays its log. */
  static async recover(session: Session, layout: Layout, number: number): Promise<OpenFile> {
    const file = new OpenFile(number, openFilePath(layout, number))
    await file.attach(session)
    await session.run(createTables(file.alias, OPEN_FILE_TABLES))
    for (const [table, time] of [
      ['spans', 'start_ns'],
      ['logs', 'time_ns'],
      ['points', 'time_ns'],
    ] as const) {
      const counts = await session.rows(
        `SELECT grid::VARCHAR AS grid, (${time} // 3600000000000)::INTEGER AS hour, count(*)::INTEGER AS rows
         FROM ${file.alias}.${table} GROUP BY ALL`,
      )
      for (const { grid, hour, rows } of counts) file.count(String(grid), Number(hour), Number(rows))
    }
    return file
  }

  count(gridId: string, hour: number, rows: number): void {
    const hours = this.rowsByGrid.get(gridId) ?? new Map<number, number>()
    this.rowsByGrid.set(gridId, hours)
    hours.set(hour, (hours.get(hour) ?? 0) + rows)
    this.rows += rows
  }

  async openAppenders(session: Session): Promise<Map<OpenTable, DuckDBAppender>> {
    const appenders = new Map<OpenTable, DuckDBAppender>()
    for (const table of Object.keys(OPEN_FILE_TABLES) as OpenTable[])
      appenders.set(table, await session.connection.createAppender(table, 'main', this.alias))
    return appenders
  }

  async logBytes(): Promise<number> {
    return await stat(`${this.path}.wal`).then(
      (found) => found.size,
      () => 0,
    )
  }

  /** While a question reads the file, it stays. */
  beginRead(): () => void {
    this.readers++
    return () => {
      if (--this.readers === 0) this.onUnused?.()
    }
  }

  /** Detaches and deletes the file once no question reads it. A big log is cut in steps: removing it at once stalls commits. */
  async remove(session: Session): Promise<void> {
    if (this.readers > 0) await new Promise<void>((resolve) => (this.onUnused = resolve))
    await session.run(`DETACH ${this.alias}`)
    const log = `${this.path}.wal`
    for (let size = await this.logBytes(); size > TRUNCATE_STEP_BYTES; size -= TRUNCATE_STEP_BYTES)
      await truncate(log, size - TRUNCATE_STEP_BYTES)
    // The log goes first: without its log the file is empty, while a log without its file would be an orphan.
    await unlink(log).catch(() => undefined)
    await unlink(this.path)
    await syncFolder(dirname(this.path))
  }

  private async attach(session: Session): Promise<void> {
    await session.run(`ATTACH '${this.path.replaceAll("'", "''")}' AS ${this.alias} (STORAGE_VERSION 'latest')`)
  }
}
