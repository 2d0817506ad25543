import { cp, readdir, readFile, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { expectAgreement } from '../../conformance/expect-agreement.ts'
import type { Question } from '../../conformance/random-questions.ts'
import { type SpanLiteral, spanColumnsOf } from '../../conformance/span-builder.ts'
import { atNs, MS_PER_HOUR, windowMs } from '../../conformance/test-time.ts'
import type { RequestKey } from '../../diagnostics-reader.ts'
import { Session } from '../engine/session.ts'
import { StoreBesidePlain } from '../testing/store-beside-plain.ts'
import { GRID, OTHER_GRID, TestStores, write } from '../testing/test-store.ts'

/** From ten at night to four, of two days: shorter windows are answered from memory. */
const FIRST_HOUR = 12
const HOURS = 6
const END_HOUR = FIRST_HOUR + HOURS
const WHOLE_HOURS = windowMs(FIRST_HOUR * MS_PER_HOUR, END_HOUR * MS_PER_HOUR)
const RAGGED = windowMs((FIRST_HOUR + 0.5) * MS_PER_HOUR + 1234, (END_HOUR - 0.5) * MS_PER_HOUR)
const KEYS: RequestKey[][] = [[], ['service'], ['service', 'operation', 'kind'], ['operation']]

/** Questions about all requests, those of one service and one kind, steps of several lengths, and calls. */
const QUESTIONS: Question[] = [
  ...KEYS.map((by): Question => ({ method: 'requests', args: [{ window: WHOLE_HOURS, by, latencies: true }] })),
  ...[WHOLE_HOURS, RAGGED].flatMap((window): Question[] => [
    { method: 'requests', args: [{ window, by: ['operation'], serviceName: 'shop', latencies: true }] },
    { method: 'requests', args: [{ window, by: ['service'], operationName: 'GET /2', latencies: true }] },
    { method: 'requests', args: [{ window, by: ['service'], kind: 'CONSUMER', latencies: false }] },
    { method: 'edges', args: [window] },
    { method: 'serviceSpans', args: [window] },
  ]),
  ...(
    [
      [5, 'service.name'],
      [10, 'span.name'],
      [60, 'service.name'],
      [120, 'span.name'],
    ] as const
  ).map(
    ([stepMinutes, groupBy]): Question => ({
      method: 'requestSteps',
      args: [{ window: WHOLE_HOURS, stepMinutes, filter: {}, groupBy, percentiles: true }],
    }),
  ),
  { method: 'edges', args: [WHOLE_HOURS] },
]

/** Of the folder that every test has a copy of. */
const originals = new TestStores()
const stores = new TestStores()
let original: string
let both: StoreBesidePlain
let lastId = 0

const CHILD: SpanLiteral = { ...spanAt('pay', 'SERVER', 70), trace: 'ffff1', id: 'ffff2', parent: 'ffff1' }
const SPANS = {
  [GRID]: [
    ...spansOf('shop', 'SERVER', HOURS * 500),
    ...spansOf('cron', 'INTERNAL', HOURS * 10),
    ...spansOf('pay', 'CONSUMER', HOURS * 4),
    // Few in all, and many in one hour.
    ...Array.from({ length: 100 }, (_, i) => spanAt('pay', 'CONSUMER', 200 + i / 10)),
    CHILD,
  ],
  [OTHER_GRID]: [...spansOf('shop', 'SERVER', HOURS * 2), spanAt('other', 'SERVER', 100)],
}

beforeAll(async () => {
  original = await originals.newFolder()
  const store = await originals.open(original)
  for (const [gridId, spans] of Object.entries(SPANS)) await store.writeSpans(gridId, spanColumnsOf(spans))
  await store.settle()
  await store.compact(Date.now())
  await store.close()
})
beforeEach(async () => {
  const folder = await stores.newFolder()
  await cp(original, folder, { recursive: true })
  both = await StoreBesidePlain.open(stores, folder)
  for (const [gridId, spans] of Object.entries(SPANS)) await both.plain.writeSpans(gridId, spanColumnsOf(spans))
})
afterEach(async () => {
  vi.restoreAllMocks()
  await stores.dispose()
})
afterAll(() => originals.dispose())

function spansOf(service: string, kind: SpanLiteral['kind'], count: number): SpanLiteral[] {
  return Array.from({ length: count }, (_, i) => spanAt(service, kind, (i * HOURS * 60) / count))
}

/** Minutes are counted from the first hour. Every other one of the shop is called by somebody. */
function spanAt(service: string, kind: SpanLiteral['kind'], minute: number): SpanLiteral {
  const id = (++lastId).toString(16)
  const isCalled = service === 'shop' && lastId % 2 === 0
  return {
    ...{ trace: isCalled ? (lastId - 1).toString(16) : id, id, kind: kind ?? 'SERVER', service },
    ...{ operation: `GET /${lastId % 4}`, status: lastId % 11 === 0 ? 'ERROR' : 'UNSET' },
    ...{ atMs: (FIRST_HOUR * 60 + minute) * 60_000, durationMs: (lastId * 37) % 1_000 },
    ...(isCalled && { parent: (lastId - 1).toString(16) }),
    ...(service === 'shop' && !isCalled && { kind: 'CLIENT' as const, service: 'web' }),
  }
}

async function expectSame(gridId = GRID): Promise<void> {
  for (const question of QUESTIONS)
    await expectAgreement(both.store.reader(gridId), both.plain.reader(gridId), question)
}

async function dayFiles(): Promise<string[]> {
  return (await readdir(join(both.folder, 'grids', GRID)).catch(() => [])).filter((name) =>
    name.endsWith('-requests.duckdb'),
  )
}

describe('requests of hours that are rolled up', () => {
  it('are the same as one by one, with late spans, sealed or not, and after a restart', async () => {
    await expectSame()
    await both.write(GRID, [
      // Of an hour before its child, and of the same service: the child was no request.
      { ...spanAt('pay', 'SERVER', 10), trace: 'ffff1', id: 'ffff1' },
      spanAt('shop', 'SERVER', 130),
      spanAt('cron', 'INTERNAL', 135),
      spanAt('new', 'SERVER', 200),
    ])
    await expectSame()
    await both.store.settle()
    await both.reopen()
    await expectSame()
    await both.store.compact(Date.now())
    await expectSame()
    expect(stores.warnings).toEqual([])
  })

  it('are read from a file for each day, also where logs come late', async () => {
    await write(both.store, GRID, { logs: [{ id: '1', body: 'late', atMs: FIRST_HOUR * MS_PER_HOUR }] })
    await both.store.settle()
    const asked = [vi.spyOn(Session.prototype, 'numbers'), vi.spyOn(Session.prototype, 'chunks')]
    const window = WHOLE_HOURS
    const reader = both.store.reader(GRID)
    await reader.requests({ window, by: ['service', 'operation'], latencies: true })
    await reader.edges(window)
    await reader.serviceSpans(window)
    await reader.requestSteps({ window, stepMinutes: 5, filter: {}, groupBy: 'service.name', percentiles: true })
    const statements = asked.flatMap(({ mock }) => mock.calls.map(([sql]) => sql))
    expect(new Set(statements.flatMap((sql) => sql.match(/hour_\d+\./g) ?? [])).size).toBe(2)
  })

  it('are those of one Grid', async () => {
    await expectSame(OTHER_GRID)
  })

  it('outlive their spans, and go with the sums', async () => {
    const sums = async () =>
      (await both.store.reader(GRID).requests({ window: windowMs(0, 99 * MS_PER_HOUR), by: [], latencies: false }))[0]
        ?.requestCount
    const all = await sums()
    const retention = { gridId: GRID, oldestNs: atNs(END_HOUR * MS_PER_HOUR), oldestSumsNs: atNs(-MS_PER_HOUR) }
    await both.store.expire([retention])
    expect(await sums()).toBe(all)
    await both.store.expire([{ ...retention, oldestSumsNs: atNs(14 * MS_PER_HOUR) }])
    expect(await dayFiles()).toHaveLength(1)
    expect(await sums()).toBeLessThan(all ?? 0)
    const later = atNs(99 * MS_PER_HOUR)
    await both.store.expire([{ gridId: GRID, oldestNs: later, oldestSumsNs: later }])
    expect(await dayFiles()).toEqual([])
    expect(await sums()).toBeUndefined()
  })

  it('have no name any more that records were deleted of', async () => {
    const secret = {
      ...spanAt('shop', 'SERVER', 300),
      operation: 'GET /like-no-other',
      attributes: { user: 'like-no-other' },
    }
    await both.write(GRID, [secret])
    await both.store.settle()
    await both.store.compact(Date.now())
    const match = { attribute: 'user', values: ['like-no-other'], signals: ['traces' as const] }
    for (const hour of await both.store.settledHours(GRID)) await both.store.deleteRecords(GRID, hour, match)
    await both.store.compact(Date.now())
    expect(await dayFiles()).toHaveLength(2)
    for (const name of await readdir(join(both.folder, 'grids', GRID)))
      expect((await readFile(join(both.folder, 'grids', GRID, name))).includes('like-no-other'), name).toBe(false)
  })

  it('are read from their hours where their day cannot be read, which is made anew', async () => {
    await both.reopen(async () => {
      const [name = ''] = await dayFiles()
      await truncate(join(both.folder, 'grids', GRID, name), 20_000)
    })
    await expectSame()
    expect(stores.warnings).toEqual([expect.stringContaining('rolled up requests')])
    await both.store.compact(Date.now())
    expect(await dayFiles()).toHaveLength(2)
  })
})
