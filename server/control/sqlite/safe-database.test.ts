import type { SqliteDatabase } from 'kysely'
import Database from 'libsql'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { RecordRefused } from '../record-refused.ts'
import { createSafeDatabase } from './safe-database.ts'

const INSERT = 'insert into texts (text) values (?) returning text'

let database: SqliteDatabase

beforeEach(() => {
  const connection = new Database(':memory:')
  connection.exec('create table texts (text unique)')
  database = createSafeDatabase(connection)
})
afterEach(() => database.close())

it.each([true, undefined, 1n, {}, []])('refuses %s before it reaches the database', (value) => {
  expect(() => database.prepare(INSERT).all([value])).toThrow(TypeError)
})

it.each(['a\0b', 'half \ud83d', Number.NaN, Number.POSITIVE_INFINITY])(
  'refuses %j, which would be altered',
  (value) => {
    expect(() => database.prepare(INSERT).all([value])).toThrow(RecordRefused)
  },
)

it.each(['', 'O\'Hara"; drop table texts', 'naïve 🦆 \u{10FFFF}', 0, -1.5, Number.MAX_SAFE_INTEGER, null])(
  'stores %j as it is',
  (value) => {
    expect(database.prepare(INSERT).all([value])).toEqual([{ text: value }])
  },
)

it('goes on with a statement that failed before', () => {
  const insert = (text: string) => database.prepare(INSERT).all([text])
  insert('a')
  expect(() => insert('a')).toThrow('UNIQUE')
  expect(insert('b')).toEqual([{ text: 'b' }])
  expect(database.prepare('select count(*) as n from texts').all([])).toEqual([{ n: 2 }])
})

it('prepares a statement once while it is in use, and holds no more than two hundred', () => {
  const first = database.prepare('select 0')
  for (let i = 1; i < 200; i++) database.prepare(`select ${i}`)
  expect(database.prepare('select 0')).toBe(first)
  for (let i = 200; i < 400; i++) database.prepare(`select ${i}`)
  expect(database.prepare('select 0')).not.toBe(first)
})
