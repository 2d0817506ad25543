import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type ChunkCells, joinedTexts } from './chunk-cells.ts'
import { Session } from './session.ts'

let instance: DuckDBInstance
let session: Session

beforeAll(async () => {
  instance = await DuckDBInstance.create(':memory:')
  session = new Session(await instance.connect())
})
afterAll(() => {
  session.close()
  instance.closeSync()
})

async function read<T>(sql: string, of: (cells: ChunkCells) => (row: number) => T): Promise<T[]> {
  const found: T[] = []
  await session.cells(sql, (cells) => {
    const cell = of(cells)
    for (let row = 0; row < cells.rows; row++) found.push(cell(row))
  })
  return found
}

it('reads ids with all of their digits, row by row', async () => {
  const uuids = ['00000000000000000000000000000001', '0123456789abcdef0fedcba987654321', 'f'.repeat(32)]
  const values = (list: string[]) => list.map((value) => `(${value})`).join(', ')
  const rows = values(uuids.map((uuid) => `'${uuid}'::UUID`))
  expect(await read(`SELECT * FROM (VALUES ${rows})`, (cells) => cells.uuids(0))).toEqual(uuids)
  const ids = ['0000000000000000', '00000000000000ff', 'fedcba9876543210']
  const numbers = values(ids.map((id) => `${BigInt(`0x${id}`)}::UBIGINT`))
  expect(await read(`SELECT * FROM (VALUES ${numbers})`, (cells) => cells.ids(0))).toEqual(ids)
})

it('reads texts that were joined, whatever they are made of', async () => {
  const sql = `SELECT ${joinedTexts(['a', 'b', 'c'])} FROM (VALUES
    ('', '', ''), ('short', '', 'x'), ('longer than twelve bytes', '{"ü":"日本"}', ''), ('𝄞', 'e', repeat('ß', 1000)), (chr(65279), chr(65279) || 'x', '')) t(a, b, c)`
  expect(await read(sql, (cells) => cells.texts(0, 3))).toEqual([
    ['', '', ''],
    ['short', '', 'x'],
    ['longer than twelve bytes', '{"ü":"日本"}', ''],
    ['𝄞', 'e', 'ß'.repeat(1000)],
    ['\ufeff', '\ufeffx', ''],
  ])
})

it('reads numbers of more rows than the database gives at once', async () => {
  const count = 5000
  const sql = `SELECT i::BIGINT - 1, i::UINTEGER, (i % 256)::UTINYINT FROM range(${count}) t(i)`
  const found = await read(sql, (cells) => {
    const [bigints, words, bytes] = [cells.bigints(0), cells.words(1), cells.bytes(2)]
    return (row) => [bigints[row], words[row], bytes[row]]
  })
  expect(found).toEqual(Array.from({ length: count }, (_, i) => [BigInt(i) - 1n, i, i % 256]))
})
