import type { SqliteDatabase, SqliteStatement } from 'kysely'
import { RecordRefused } from '../record-refused.ts'

const STATEMENTS_MAX = 200

/**
 * Keeps what is known to go wrong in libsql from happening. It ends the whole process when it is given a boolean, cuts
 * a text at a NUL and replaces half a surrogate pair, which would make two different names one: nothing of that kind
 * gets through. And a statement holds 10 KB outside the heap until a collection that seldom comes: each is prepared once.
 */
export function createSafeDatabase(database: SqliteDatabase): SqliteDatabase {
  const statements = new Map<string, SqliteStatement>()

  function prepare(sql: string): SqliteStatement {
    const statement = statements.get(sql) ?? safeStatement(database.prepare(sql))
    statements.delete(sql)
    statements.set(sql, statement)
    const oldest = statements.size > STATEMENTS_MAX ? statements.keys().next().value : undefined
    if (oldest !== undefined) statements.delete(oldest)
    return statement
  }

  return { prepare, close: () => database.close() }
}

function safeStatement(statement: SqliteStatement): SqliteStatement {
  return {
    reader: statement.reader,
    all: (parameters) => statement.all(checked(parameters)),
    run: (parameters) => statement.run(checked(parameters)),
    iterate: (parameters) => statement.iterate(checked(parameters)),
  }
}

function checked(parameters: ReadonlyArray<unknown>): ReadonlyArray<unknown> {
  for (const parameter of parameters) refuseUnsafe(parameter)
  return parameters
}

function refuseUnsafe(parameter: unknown): void {
  if (parameter === null) return
  if (typeof parameter === 'string') {
    if (/[\0\p{Surrogate}]/u.test(parameter))
      throw new RecordRefused('A text contains characters that cannot be stored.')
    return
  }
  if (typeof parameter !== 'number') throw new TypeError(`A ${typeof parameter} cannot be stored.`)
  if (!Number.isFinite(parameter)) throw new RecordRefused('A number is not finite.')
}
