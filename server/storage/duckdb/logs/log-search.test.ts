import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import type { LogLiteral } from '../../conformance/log-builder.ts'
import { MS_PER_HOUR, WHOLE_WINDOW } from '../../conformance/test-time.ts'
import type { DuckDbStore } from '../duckdb-store.ts'
import { alterFiles, BEFORE_TEMPLATES } from '../testing/earlier-program.ts'
import { GRID, TestStores, write } from '../testing/test-store.ts'

const stores = new TestStores()
const ASKED = { window: WHOLE_WINDOW }

afterEach(() => stores.dispose())

const logs = (from: number, count: number): LogLiteral[] =>
  Array.from({ length: count }, (_, i) => ({
    id: (from + i).toString(16),
    atMs: (i % 3) * MS_PER_HOUR + i,
    span: '7',
    trace: '7',
    body: `order ${from + i} ${i % 2 === 0 ? 'STORED' : 'lost'}`,
    severityNumber: i % 2 === 0 ? 9 : 17,
    attributes: { n: i },
  }))

async function answersOf(store: DuckDbStore): Promise<unknown[]> {
  const reader = store.reader(GRID)
  const patterns = await reader.logPatterns(ASKED, 100)
  return [
    await reader.searchLogs({ ...ASKED, words: ['stored'] }, { offset: 1, limit: 3 }),
    await reader.firstLogOfSpan('0'.repeat(15).concat('7')),
    await reader.logFilterOptions(10),
    patterns,
    await reader.newestOfPatterns(ASKED, patterns),
    await reader.sampleLogs(WHOLE_WINDOW, 1, 100),
  ]
}

it('the files of a program that knew no templates give the same answers', async () => {
  const folder = await stores.newFolder()
  const first = await stores.open(folder)
  await write(first, GRID, { logs: logs(1, 20) })
  await first.settle()
  const answers = await answersOf(first)
  await first.close()
  await alterFiles(join(folder, 'grids', GRID), BEFORE_TEMPLATES)
  const second = await stores.open(folder)
  expect(await answersOf(second)).toEqual(answers)

  await write(second, GRID, { logs: logs(101, 20) })
  await second.settle()
  const more = await answersOf(second)
  await second.compact(Date.now())
  expect(await answersOf(second)).toEqual(more)
  expect((await second.reader(GRID).logPatterns(ASKED, 100)).map(({ recordCount }) => recordCount)).toEqual([20, 20])
})

it('what such a program had not sealed yet is found, and sealed', async () => {
  const folder = await stores.newFolder()
  const first = await stores.open(folder)
  await write(first, GRID, { logs: logs(1, 20) })
  const answers = await answersOf(first)
  await first.close()
  await alterFiles(
    join(folder, 'open'),
    ['key_set', 'template'].map((column) => `ALTER TABLE logs DROP COLUMN ${column}`),
  )
  const second = await stores.open(folder)
  expect(await answersOf(second)).toEqual(answers)
  await second.settle()
  expect(await answersOf(second)).toEqual(answers)
})

it('ids and answers stay the same when records are sealed, compacted and opened again', async () => {
  const folder = await stores.newFolder()
  const first = await stores.open(folder)
  await write(first, GRID, { logs: logs(1, 30) })
  const answers = await answersOf(first)
  await first.settle()
  expect(await answersOf(first)).toEqual(answers)
  await first.compact(Date.now())
  expect(await answersOf(first)).toEqual(answers)
  await first.close()
  expect(await answersOf(await stores.open(folder))).toEqual(answers)
})
