import { closeSync, openSync } from 'node:fs'
import { Kysely, sql } from 'kysely'
import Database from 'libsql'
import { StoreUnusable } from '../../domain/store-errors.ts'
import type { ControlTables } from '../tables.ts'
import { ControlDialect } from './dialect.ts'
import { migrateToLatest } from './migrate.ts'

export type ControlDatabase = Kysely<ControlTables>

/** Waiting for a lock blocks the event loop, and no other process has a reason to write. */
const BUSY_TIMEOUT_MS = 2_000

/** Fails with `StoreUnusable`, in one line. */
export async function openDatabase(path: string): Promise<ControlDatabase> {
  const connection = connect(path)
  const db: ControlDatabase = new Kysely({ dialect: new ControlDialect(connection) })
  try {
    await migrateToLatest(db, path)
    return db
  } catch (error) {
    connection.close()
    throw error instanceof StoreUnusable ? error : unusable(path, error)
  }
}

/** The file is whole without its log afterwards, so that copying it alone is a backup. */
export async function closeDatabase(db: ControlDatabase): Promise<void> {
  await sql`pragma wal_checkpoint(truncate)`.execute(db)
  await db.destroy()
}

/** Blocks the event loop, for as long as a few megabytes take. */
export async function copyDatabase(db: ControlDatabase, path: string): Promise<void> {
  createPrivateFile(path)
  await sql`vacuum into ${path}`.execute(db)
}

function connect(path: string): Database.Database {
  try {
    if (path !== ':memory:') createPrivateFile(path)
    const connection = new Database(path, { timeout: BUSY_TIMEOUT_MS })
    connection.pragma('journal_mode = WAL')
    connection.pragma('synchronous = FULL')
    connection.pragma('foreign_keys = ON')
    connection.pragma('secure_delete = ON')
    return connection
  } catch (error) {
    throw unusable(path, error)
  }
}

/** The file holds signing keys: only its owner reads it. SQLite gives its log the same rights. */
function createPrivateFile(path: string): void {
  closeSync(openSync(path, 'a', 0o600))
}

function unusable(path: string, error: unknown): StoreUnusable {
  const reason = (error instanceof Error ? error.message : String(error)).split('\n')[0]
  return new StoreUnusable(`The control database ${path} cannot be used: ${reason}`, { cause: error })
}
