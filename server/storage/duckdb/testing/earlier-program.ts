import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { parseHourFileName } from '../layout.ts'

/** What takes from the files of an hour that which programs did not write before logs had templates. */
export const BEFORE_TEMPLATES = [
  'DROP TABLE tellings',
  'DROP TABLE failed_spans',
  'ALTER TABLE logs DROP COLUMN template_no',
  'DROP TABLE templates',
  "DELETE FROM usage WHERE starts_with(kind, 'log-')",
]

/** Runs statements on the file of every hour in a folder, of a store that is closed. */
export async function alterFiles(folder: string, statements: string[]): Promise<void> {
  for (const name of (await readdir(folder)).filter((file) => parseHourFileName(file) !== undefined)) {
    const instance = await DuckDBInstance.create(join(folder, name))
    const connection = await instance.connect()
    for (const sql of statements) await connection.run(sql)
    connection.disconnectSync()
    instance.closeSync()
  }
}
