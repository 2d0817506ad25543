import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { failureRows } from '../../conformance/failure-rows.ts'
import { BASE_NS, WHOLE_WINDOW } from '../../conformance/test-time.ts'
import { type Row, Session } from '../engine/session.ts'
import { alterFiles, BEFORE_TEMPLATES } from '../testing/earlier-program.ts'
import { GRID, OTHER_GRID, TestStores, write } from '../testing/test-store.ts'

const stores = new TestStores()

afterEach(() => stores.dispose())

it('failed spans and drawn traces are found in the files of a program that did not list them', async () => {
  const folder = await stores.newFolder()
  const events = [{ name: 'exception', timeNs: BASE_NS, attributes: { 'exception.type': 'Oops' } }]
  const attributes = { 'error.type': 'Oops', other: 1 }
  const failed = { trace: '1', id: '1', status: 'ERROR' as const, statusMessage: 'no', attributes, events }
  const first = await stores.open(folder)
  const others = Array.from({ length: 100 }, (_, i) => ({ trace: (i + 2).toString(16), id: '2' }))
  await write(first, GRID, { spans: [failed, ...others] })
  await first.settle()
  const found = failureRows(await first.reader(GRID).failures(WHOLE_WINDOW, undefined, 10))
  expect(found).toMatchObject([{ statusMessage: 'no', exceptions: [{ type: 'Oops' }] }])
  const drawn = await first.reader(GRID).drawnTraces(WHOLE_WINDOW, 16, { shapesMax: 10, gapsPerMinute: 10 })
  expect(drawn.shapes).not.toEqual([])
  await first.close()
  await alterFiles(join(folder, 'grids', GRID), [
    'DROP TABLE span_times',
    'DROP TABLE drawn_spans',
    ...BEFORE_TEMPLATES,
  ])
  const second = await stores.open(folder)
  expect(failureRows(await second.reader(GRID).failures(WHOLE_WINDOW, undefined, 10))).toEqual(found)
  expect(await second.reader(GRID).drawnTraces(WHOLE_WINDOW, 16, { shapesMax: 10, gapsPerMinute: 10 })).toEqual(drawn)
})

it('failed spans that are not sealed are told once each, however often and by how many they are asked for', async () => {
  const store = await stores.open(await stores.newFolder())
  const failed = (id: string, service: string) => ({
    trace: id,
    id,
    service,
    status: 'ERROR' as const,
    statusMessage: id,
  })
  const told = async (gridId: string, service?: string) => {
    const found = failureRows(await store.reader(gridId).failures(WHOLE_WINDOW, service, 10))
    return found.map(({ statusMessage }) => statusMessage).sort()
  }
  await write(store, GRID, { spans: [failed('a', 'web'), failed('b', 'cart')] })
  await write(store, OTHER_GRID, { spans: [failed('c', 'web')] })
  expect(await Promise.all([told(GRID), told(GRID), told(OTHER_GRID)])).toEqual([['a', 'b'], ['a', 'b'], ['c']])
  const asked = vi.spyOn(Session.prototype, 'rows')
  await write(store, GRID, { spans: [failed('d', 'web')] })
  expect(await Promise.all([told(GRID), told(GRID, 'web')])).toEqual([
    ['a', 'b', 'd'],
    ['a', 'd'],
  ])
  const found = await Promise.all(asked.mock.results.map(async ({ value }) => (await value) as Row[]))
  expect(found.flat().filter((row) => 'exceptions' in row)).toHaveLength(1)
  asked.mockRestore()
  await store.settle()
  await write(store, GRID, { spans: [failed('e', 'web')] })
  expect(await told(GRID, 'web')).toEqual(['a', 'd', 'e'])
})

it('failed spans that were read before are told again, with those that began earlier or were sealed since', async () => {
  const store = await stores.open(await stores.newFolder())
  const failed = (number: number) => ({
    trace: `${number}`,
    id: `${number}`,
    atMs: number * 1000,
    service: number % 2 === 0 ? 'even' : 'odd',
    operation: `operation ${number % 3}`,
    status: 'ERROR' as const,
    statusMessage: `no order ${number}${number === 7 ? ' of nobody' : ''}`,
  })
  const told = async (firstNumber: number, service?: string) => {
    const window = { startNs: BASE_NS + BigInt(firstNumber) * 1_000_000_000n, endNs: WHOLE_WINDOW.endNs }
    const { count, startsNs, told: places, tellings } = await store.reader(GRID).failures(window, service, 100)
    const samples = new Set(Array.from(places, (place) => tellings[place]?.samples.length))
    return { numbers: Array.from(startsNs, (ns) => ns / 1e9 + firstNumber).sort((a, b) => a - b), count, samples }
  }
  await write(store, GRID, { spans: [1, 2, 3, 4].map(failed) })
  await store.settle()
  expect(await told(3)).toMatchObject({ numbers: [3, 4], samples: new Set([2]) })
  expect(await told(4)).toMatchObject({ numbers: [4], samples: new Set([1]) })
  expect(await told(1, 'odd')).toMatchObject({ numbers: [1, 3] })
  await write(store, GRID, { spans: [5, 7].map(failed) })
  const [all, odd] = await Promise.all([told(1), told(2, 'odd'), store.settle()])
  expect([all.numbers, odd.numbers]).toEqual([
    [1, 2, 3, 4, 5, 7],
    [3, 5, 7],
  ])
  expect(await told(2)).toMatchObject({ numbers: [2, 3, 4, 5, 7], samples: new Set([4, 1]) })
  await store.compact(Number.MAX_SAFE_INTEGER)
  const read = vi.spyOn(Session.prototype, 'cells')
  expect(await told(2)).toMatchObject({ numbers: [2, 3, 4, 5, 7], samples: new Set([4, 1]) })
  expect(read).not.toHaveBeenCalled()
  read.mockRestore()
  await write(store, GRID, { spans: [6].map(failed) })
  expect(await told(2)).toMatchObject({ numbers: [2, 3, 4, 5, 6, 7] })
  await store.settle()
  expect(await told(2)).toMatchObject({ numbers: [2, 3, 4, 5, 6, 7], samples: new Set([5, 1]) })
  expect(await told(5, 'nobody')).toMatchObject({ numbers: [], count: 0 })
})
