import { SqliteAdapter, type SqliteDatabase, SqliteDialect } from 'kysely'
import { createSafeDatabase } from './safe-database.ts'

/** SQLite can undo changes of the schema, which kysely does not count on: a migration happens whole or not at all. */
class TransactionalSqliteAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

export class ControlDialect extends SqliteDialect {
  constructor(database: SqliteDatabase) {
    super({ database: createSafeDatabase(database) })
  }

  override createAdapter(): SqliteAdapter {
    return new TransactionalSqliteAdapter()
  }
}
