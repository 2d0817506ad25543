import { DuckDBInstance, UINTEGER, VARCHAR } from '@duckdb/node-api'
import { describe, expect, it } from 'vitest'
import { TextColumn } from '../../../domain/columns/text-column.ts'
import { ChunkBuilder } from './chunk-builder.ts'

/** What the database has of the texts, after each group of them was appended by a commit of its own. */
async function readBack(builder: ChunkBuilder, groups: Uint8Array[][]): Promise<string[]> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  await connection.run('CREATE TABLE texts (row UINTEGER, text VARCHAR)')
  const appender = await connection.createAppender('texts')
  let row = 0
  for (const group of groups) {
    for (const text of group) {
      ;(builder.words[0] as Uint32Array)[builder.row] = row++
      builder.putBytes(1, text)
      builder.endRow()
    }
    const chunks = builder.take()
    for (const chunk of chunks) appender.appendDataChunk(chunk)
    appender.flushSync()
    builder.recycle(chunks)
  }
  appender.closeSync()
  const found = await connection.runAndReadAll('SELECT text FROM texts ORDER BY row')
  const texts = found.getRows().map(([text]) => text as string)
  connection.closeSync()
  instance.closeSync()
  return texts
}

const utf8 = (texts: string[]) => texts.map((text) => Buffer.from(text))
const builder = () => new ChunkBuilder([UINTEGER, VARCHAR])

describe('texts of a chunk', () => {
  it('come back as they were, whatever their length', async () => {
    const texts = Array.from({ length: 5000 }, (_, i) => `${'é'.repeat(i % 40)}${'x'.repeat((i * 7) % 300)}\0${i}`)
    texts[3] = ''
    texts[4999] = 'long '.repeat(100_000)
    expect(await readBack(builder(), [utf8(texts)])).toEqual(texts)
  })

  it('of one commit leave nothing behind in the next', async () => {
    const first = ['a text that is longer than its handle', 'short', 'exactly12ch.']
    const second = ['', 'b', 'another text that is longer than its handle', '']
    expect(await readBack(builder(), [utf8(first), utf8(second)])).toEqual([...first, ...second])
  })

  it('are left empty where they are not valid, and others beside them are not', async () => {
    const invalid = [Buffer.from([0xff]), Buffer.from([...Buffer.from('a long text, cut in a charact'), 0xc3])]
    const texts = [Buffer.from('an honest text of some length'), ...invalid, Buffer.from('ö')]
    const found = await readBack(builder(), [texts])
    expect(found).toEqual(['an honest text of some length', '', '', 'ö'])
  })

  it('may be put for many rows at once, across chunks and with other rows between', async () => {
    const column = new TextColumn()
    const texts = Array.from({ length: 3000 }, (_, i) => (i % 3 === 0 ? '' : `text number ${i} ${'.'.repeat(i % 9)}`))
    for (const text of texts) column.pushBytes(Buffer.from(text), 0, Buffer.byteLength(text))
    const rows = builder()
    for (let row = 10; row < 3000; ) {
      const count = Math.min(rows.room, 3000 - row)
      rows.putTexts(1, column, row, count)
      for (let i = 0; i < count; i++, row++) {
        ;(rows.words[0] as Uint32Array)[rows.row] = row
        rows.endRow()
      }
    }
    expect(await readBack(rows, [[]])).toEqual(texts.slice(10))
  })
})
