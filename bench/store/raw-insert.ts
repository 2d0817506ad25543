import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { DuckDBAppender } from '@duckdb/node-api'
import type { LogColumns } from '../../server/domain/columns/log-columns.ts'
import type { SpanColumns } from '../../server/domain/columns/span-columns.ts'
import type { ChunkBuilder } from '../../server/storage/duckdb/engine/chunk-builder.ts'
import type { Database } from '../../server/storage/duckdb/engine/database.ts'
import type { Session } from '../../server/storage/duckdb/engine/session.ts'
import { OpenFile, type OpenTable } from '../../server/storage/duckdb/files/open-file.ts'
import { type Layout, openLayout } from '../../server/storage/duckdb/layout.ts'
import { addLogRows, createLogChunks } from '../../server/storage/duckdb/write/log-rows.ts'
import { addSpanRows, createSpanChunks } from '../../server/storage/duckdb/write/span-rows.ts'

const COMMIT_INTERVAL_MS = 100
/** As the store does, so that the log and the memory of the table stay as small as there. */
const ROWS_PER_FILE = 250_000

/** How rows of one table are put into the database. */
interface RawTable<Columns> {
  table: OpenTable
  chunks: ChunkBuilder
  add: (
    chunks: ChunkBuilder,
    grid: Uint8Array,
    origins: Uint8Array[],
    rows: Columns,
    first: number,
    end: number,
  ) => void
}

export function rawSpans(): RawTable<SpanColumns> {
  return { table: 'spans', chunks: createSpanChunks(), add: addSpanRows }
}

export function rawLogs(): RawTable<LogColumns> {
  return { table: 'logs', chunks: createLogChunks(), add: addLogRows }
}

/**
 * Nothing but rows into the database: the store's vectors, table and commit interval, without looking for duplicates, sealing
 * or answering anybody. Resolves with rows a second.
 */
export async function rawInsertSpeed<Columns extends SpanColumns | LogColumns>(
  database: Database,
  folder: string,
  table: RawTable<Columns>,
  batches: Columns[],
  durationMs: number,
): Promise<number> {
  mkdirSync(folder, { recursive: true })
  const inserting = await RawInsert.open(await database.connect(), await openLayout(join(folder, 'raw')), table)
  const startedMs = performance.now()
  for (let i = 0; performance.now() - startedMs < durationMs; i++) {
    inserting.add(batches[i % batches.length] as Columns)
    // Commits are asynchronous, and rows are prepared meanwhile.
    await new Promise((resolve) => setImmediate(resolve))
  }
  await inserting.finish()
  return inserting.rows / ((performance.now() - startedMs) / 1000)
}

class RawInsert<Columns extends SpanColumns | LogColumns> {
  rows = 0
  private readonly session: Session
  private readonly layout: Layout
  private readonly table: RawTable<Columns>
  private readonly grid = new Uint8Array(16).fill(7)
  private readonly origin = new Uint8Array(8).fill(9)
  private file: OpenFile
  private appender: DuckDBAppender | undefined
  private committing: Promise<void> | undefined
  private lastCommitMs = performance.now()

  private constructor(session: Session, layout: Layout, table: RawTable<Columns>, file: OpenFile) {
    this.session = session
    this.layout = layout
    this.table = table
    this.file = file
  }

  static async open<Columns extends SpanColumns | LogColumns>(
    session: Session,
    layout: Layout,
    table: RawTable<Columns>,
  ): Promise<RawInsert<Columns>> {
    const inserting = new RawInsert(session, layout, table, await OpenFile.create(session, layout, 1))
    await inserting.openAppender()
    return inserting
  }

  add(rows: Columns): void {
    const { chunks, add } = this.table
    const origins = rows.origins.map(() => this.origin)
    add(chunks, this.grid, origins, rows, 0, rows.length)
    this.rows += rows.length
    if (this.committing || performance.now() - this.lastCommitMs < COMMIT_INTERVAL_MS) return
    this.committing = this.commit().finally(() => {
      this.committing = undefined
    })
  }

  async finish(): Promise<void> {
    await this.committing
    await this.commit()
    this.appender?.closeSync()
    this.session.close()
  }

  private async commit(): Promise<void> {
    this.lastCommitMs = performance.now()
    await this.session.run('BEGIN TRANSACTION')
    const chunks = this.table.chunks.take()
    for (const chunk of chunks) this.appender?.appendDataChunk(chunk)
    this.appender?.flushSync()
    this.table.chunks.recycle(chunks)
    await this.session.run('COMMIT')
    if (this.rows >= this.file.number * ROWS_PER_FILE) await this.rotate()
  }

  private async rotate(): Promise<void> {
    this.appender?.closeSync()
    const full = this.file
    this.file = await OpenFile.create(this.session, this.layout, full.number + 1)
    await this.openAppender()
    await full.remove(this.session)
  }

  private async openAppender(): Promise<void> {
    const appenders = await this.file.openAppenders(this.session)
    for (const [table, appender] of appenders) {
      if (table === this.table.table) this.appender = appender
      else appender.closeSync()
    }
  }
}
