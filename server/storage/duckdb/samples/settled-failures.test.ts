import { afterEach, expect, it, vi } from 'vitest'
import { atNs, MS_PER_HOUR, windowMs } from '../../conformance/test-time.ts'
import type { DuckDbStore } from '../duckdb-store.ts'
import { Session } from '../engine/session.ts'
import { GRID, TestStores, write } from '../testing/test-store.ts'

const stores = new TestStores()

afterEach(async () => {
  vi.restoreAllMocks()
  await stores.dispose()
})

const HOURS = 9
const DAY = windowMs(0, HOURS * MS_PER_HOUR)

/** The names of some spans, `hour number`, in the order of time. */
const named = (hour: number, count = 3) => Array.from({ length: count }, (_, i) => `${hour} ${i + 1}`)

function failed(name: string) {
  const [hour = 0, number = 0] = name.split(' ').map(Number)
  return {
    trace: `${hour}${number}`,
    id: `${hour}${number}`,
    atMs: hour * MS_PER_HOUR + number * 100,
    service: number % 2 === 0 ? 'even' : 'odd',
    operation: `operation ${number % 3}`,
    status: 'ERROR' as const,
    statusMessage: `no order ${number} in ${hour % 2 === 0 ? 'stock' : 'store'}`,
  }
}

async function told(store: DuckDbStore, window = DAY, service?: string, limit = 100) {
  const found = await store.reader(GRID).failures(window, service, limit)
  const startsMs = Array.from(found.startsNs, (ns) => ns / 1e6 + Number((window.startNs - atNs(0)) / 1_000_000n))
  const names = startsMs.map((ms) => `${Math.floor(ms / MS_PER_HOUR)} ${(ms % MS_PER_HOUR) / 100}`)
  return {
    names: names.sort(),
    services: new Set(Array.from(found.services, (place) => found.names[place])),
    operations: new Set(Array.from(found.operations, (place) => found.names[place])),
    messages: new Set(Array.from(found.told, (place) => found.tellings[place]?.statusMessage)),
    samples: found.tellings.map(({ samples }) => samples.length).sort(),
  }
}

async function storeOfDay(count = 3): Promise<DuckDbStore> {
  const store = await stores.open(await stores.newFolder())
  for (let hour = 0; hour < HOURS; hour++) await write(store, GRID, { spans: named(hour, count).map(failed) })
  await store.settle()
  return store
}

it('failed spans of settled hours are read once for all services, and told as the database tells them', async () => {
  const store = await storeOfDay()
  const all = Array.from({ length: HOURS }, (_, hour) => named(hour)).flat()
  const first = await told(store)
  expect(first).toMatchObject({
    names: all,
    services: new Set(['odd', 'even']),
    operations: new Set(['operation 0', 'operation 1', 'operation 2']),
    samples: [12, 15],
  })
  const asked = vi.spyOn(Session.prototype, 'chunks')
  const numbers = vi.spyOn(Session.prototype, 'numbers')
  expect(await told(store)).toEqual(first)
  const even = await told(store, DAY, 'even')
  expect(even.names).toEqual(all.filter((name) => name.endsWith('2')))
  expect(even.services).toEqual(new Set(['even']))
  const statements = [...asked.mock.calls, ...numbers.mock.calls].map(([sql]) => sql)
  expect(statements.filter((sql) => sql.includes('failed_spans'))).toEqual([])
})

it('a window that cuts a settled hour has what began in it, and a limit leaves the newest', async () => {
  const store = await storeOfDay()
  await told(store)
  const cut = windowMs(2 * MS_PER_HOUR + 200, 4 * MS_PER_HOUR + 200)
  expect((await told(store, cut)).names).toEqual(['2 2', '2 3', ...named(3), '4 1'])
  expect((await told(store, DAY, undefined, 8)).names).toEqual(['6 2', '6 3', ...named(7), ...named(8)])
})

it('what comes late into a settled hour is told at once, sealed or not, and once', async () => {
  const store = await storeOfDay()
  const before = (await told(store)).names
  await write(store, GRID, { spans: [failed('2 4')] })
  const late = [...before, '2 4'].sort()
  expect((await told(store)).names).toEqual(late)
  const answers = await Promise.all([told(store), store.settle().then(() => told(store)), told(store)])
  for (const { names } of answers) expect(names).toEqual(late)
  expect((await told(store)).names).toEqual(late)
  await store.compact(Number.MAX_SAFE_INTEGER)
  expect((await told(store)).names).toEqual(late)
})

it('hours of very many failed spans are told as well', async () => {
  const store = await storeOfDay()
  const many = named(3, 5_100)
  await write(store, GRID, { spans: many.slice(3).map(failed) })
  await store.settle()
  for (let i = 0; i < 2; i++) {
    const { names } = await told(store, DAY, undefined, 10_000)
    expect(names.filter((name) => name.startsWith('3 '))).toEqual(many.toSorted())
    expect(names).toHaveLength(5_100 + (HOURS - 1) * 3)
  }
})
