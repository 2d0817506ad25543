import type { SqliteDatabase, SqliteStatement } from 'kysely'
import { RecordRefused } from '../record-refused.ts'

/**
 * libsql ends the whole process when it is given a boolean, cuts a text at a NUL and replaces half a surrogate pair,
 * which would make two different names one. Nothing of that kind gets through.
 */
export function guardDatabase(database: SqliteDatabase): SqliteDatabase {
  return {
    close: () => database.close(),
    prepare: (sql) => guardStatement(database.prepare(sql)),
  }
}

function guardStatement(statement: SqliteStatement): SqliteStatement {
  return {
    get reader() {
      return statement.reader
    },
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
