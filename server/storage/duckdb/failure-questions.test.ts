import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { BASE_NS, WHOLE_WINDOW } from '../conformance/test-time.ts'
import { alterFiles, BEFORE_TEMPLATES } from './testing/earlier-program.ts'
import { GRID, TestStores, write } from './testing/test-store.ts'

const stores = new TestStores()

afterEach(() => stores.dispose())

it('failed spans are found in the files of a program that did not list them', async () => {
  const folder = await stores.newFolder()
  const events = [{ name: 'exception', timeNs: BASE_NS, attributes: { 'exception.type': 'Oops' } }]
  const attributes = { 'error.type': 'Oops', other: 1 }
  const failed = { trace: '1', id: '1', status: 'ERROR' as const, statusMessage: 'no', attributes, events }
  const first = await stores.open(folder)
  await write(first, GRID, { spans: [failed, { trace: '2', id: '2' }] })
  await first.settle()
  const found = await first.reader(GRID).errorSpans(WHOLE_WINDOW, undefined, 10)
  expect(found.map(({ statusMessage }) => statusMessage)).toEqual(['no'])
  await first.close()
  await alterFiles(join(folder, 'grids', GRID), ['DROP TABLE failures', ...BEFORE_TEMPLATES])
  const second = await stores.open(folder)
  expect(await second.reader(GRID).errorSpans(WHOLE_WINDOW, undefined, 10)).toEqual(found)
})
