import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ControlStoreWithAuthority } from '../control/authority-store.ts'
import { PROVISIONAL_MS } from '../control/control-store.ts'
import { openSqliteControlStore } from '../control/sqlite/open-control-store.ts'
import { SeededRandom } from '../storage/conformance/seeded-random.ts'
import { type SpanLiteral, spanColumnsOf } from '../storage/conformance/span-builder.ts'
import { BASE_NS, MS_PER_HOUR } from '../storage/conformance/test-time.ts'
import { createMemoryStore } from '../storage/memory/memory-store.ts'
import type { TelemetryStore } from '../storage/telemetry-store.ts'
import { lookForEvents } from './events-look.ts'

const BASE_MS = Number(BASE_NS / 1_000_000n)
const MINUTE_MS = 60_000

let control: ControlStoreWithAuthority
let store: TelemetryStore
let gridId: string
let nowMs: number

beforeEach(async () => {
  control = await openSqliteControlStore(':memory:')
  store = createMemoryStore()
  gridId = (await control.grids.create({ name: 'Shop' })).id
  nowMs = BASE_MS + 24 * MS_PER_HOUR
})
afterEach(() => control.close())

interface Part {
  from: number
  to: number
  service?: string
  instance?: string
  version?: string
  operation?: string
  perMinute?: number
  status?: 'ERROR'
  settings?: Record<string, string>
}

let made = 0

/** Requests in each minute from one up to, and without, another one, counted from 10:00. */
function requests({ from, to, service = 'cart', instance = 'a', version = '1', ...part }: Part): SpanLiteral[] {
  const { operation = 'GET /', perMinute = 2, status, settings } = part
  return Array.from({ length: (to - from) * perMinute }, (_, n) => {
    const id = (++made).toString(16)
    const atMs = from * MINUTE_MS + (n * MINUTE_MS) / perMinute
    const resource = { 'service.instance.id': instance, 'service.version': version, ...settings }
    return { trace: id, id, service, kind: 'SERVER', operation, atMs, resource, ...(status ? { status } : {}) }
  })
}

const write = (spans: SpanLiteral[]) => store.writeSpans(gridId, spanColumnsOf(spans))
const look = () =>
  lookForEvents(gridId, { reader: store.reader(gridId), control, clock: () => nowMs, isStopped: () => false })

async function recorded(): Promise<string[]> {
  const events = await control.events.list(gridId, { startMs: 0, endMs: nowMs + MS_PER_HOUR })
  return events.map(({ atMs, type, serviceName, description }) => {
    return `+${(atMs - BASE_MS) / MINUTE_MS} ${type} ${serviceName}: ${description}`
  })
}

describe('the search for events', () => {
  it('finds what happened, once, however often it looks', async () => {
    await write([...requests({ from: 0, to: 30 }), ...requests({ from: 30, to: 50, version: '2' })])
    await look()
    await look()
    expect(await recorded()).toEqual(['+30 deployment cart: deployed version 2 (previously 1)'])
  })

  it('finds nothing in a Grid without telemetry', async () => {
    await look()
    expect(await recorded()).toEqual([])
  })

  it('goes on where it was after a restart', async () => {
    await write(requests({ from: 0, to: 59 }))
    await look()
    await write(requests({ from: 65, to: 80, version: '2' }))
    await look()
    expect(await recorded()).toEqual(['+65 deployment cart: deployed version 2 (previously 1)'])
  })

  it('tells new services and endpoints, but not those of the first hour', async () => {
    await write([
      ...requests({ from: 0, to: 70 }),
      ...requests({ from: 59, to: 61, service: 'early' }),
      ...requests({ from: 60, to: 62, service: 'late' }),
      ...requests({ from: 30, to: 31, operation: 'GET /early' }),
      ...requests({ from: 62, to: 63, operation: 'GET /late' }),
      ...requests({ from: 63, to: 64, operation: 'cron' }).map((span) => ({ ...span, kind: 'INTERNAL' as const })),
    ])
    await look()
    expect(await recorded()).toEqual([
      '+60 new_service late: new service late',
      '+62 new_endpoint cart: new endpoint GET /late',
    ])
  })

  it('does not call new what older telemetry shows later to have been there', async () => {
    await write([...requests({ from: 240, to: 250 }), ...requests({ from: 301, to: 310, service: 'shop' })])
    await look()
    expect(await recorded()).toEqual(['+301 new_service shop: new service shop'])
    await write(requests({ from: 0, to: 10, service: 'shop' }))
    await look()
    expect(await recorded()).toEqual(['+240 new_service cart: new service cart'])
  })

  it('withdraws and alters what is provisional, when telemetry comes late', async () => {
    await write([
      ...requests({ from: 0, to: 100 }),
      ...requests({ from: 40, to: 100, instance: 'b' }),
      ...requests({ from: 50, to: 100, instance: 'c', version: '2' }),
    ])
    await look()
    expect(await recorded()).toEqual([
      '+40 scaling cart: scaled from 1 to 2 instances',
      '+50 deployment cart: deployed version 2 (previously 1)',
    ])
    nowMs += PROVISIONAL_MS - 1
    await write([
      ...requests({ from: 0, to: 40, instance: 'b' }),
      ...requests({ from: 45, to: 50, instance: 'c', version: '2' }),
    ])
    await look()
    expect(await recorded()).toEqual(['+45 deployment cart: deployed version 2 (previously 1)'])
  })

  it('leaves alone what is settled, and adds', async () => {
    await write([
      ...requests({ from: 0, to: 100 }),
      ...requests({ from: 40, to: 100, instance: 'b' }),
      ...requests({ from: 50, to: 100, instance: 'c', version: '2' }),
    ])
    await look()
    const settled = await recorded()
    nowMs += PROVISIONAL_MS
    await write([
      ...requests({ from: 0, to: 40, instance: 'b' }),
      ...requests({ from: 45, to: 50, instance: 'c', version: '2' }),
      ...requests({ from: 100, to: 102, version: '3' }),
    ])
    await look()
    expect(await recorded()).toEqual([...settled, '+100 deployment cart: deployed version 3 (previously 1)'])
  })

  it('keeps what has not happened yet for later', async () => {
    nowMs = BASE_MS + 40 * MINUTE_MS
    await write([...requests({ from: 0, to: 40 }), ...requests({ from: 55, to: 58, version: '2' })])
    await look()
    expect(await recorded()).toEqual([])
    nowMs = BASE_MS + 56 * MINUTE_MS
    await look()
    expect(await recorded()).toEqual(['+55 deployment cart: deployed version 2 (previously 1)'])
  })

  it('looks again only at hours that have changed, and those after them', async () => {
    await write([0, 1, 2, 3, 4, 5, 6].flatMap((hour) => requests({ from: hour * 60, to: hour * 60 + 50 })))
    await look()
    const asked: number[] = []
    const reader = store.reader(gridId)
    const watched = {
      ...reader,
      resourceActivity: (window: { startNs: bigint; endNs: bigint }) => {
        asked.push(Number((window.startNs - BASE_NS) / 3_600_000_000_000n))
        return reader.resourceActivity(window)
      },
    }
    const lookAgain = () =>
      lookForEvents(gridId, { reader: watched, control, clock: () => nowMs, isStopped: () => false })
    await lookAgain()
    expect(asked.splice(0)).toEqual([])
    await write(requests({ from: 379, to: 380, operation: 'PUT /' }))
    await lookAgain()
    expect(asked.splice(0)).toEqual([6])
    await write(requests({ from: 70, to: 71, operation: 'PUT /' }))
    await lookAgain()
    expect(asked.splice(0)).toEqual(expect.arrayContaining([1, 2]))
  })

  it('does not mind names of any length and form', async () => {
    const service = `${'x'.repeat(60_000)}\u0000\ud800"`
    await write([
      ...requests({ from: 0, to: 70 }),
      ...requests({ from: 61, to: 65, service }),
      ...requests({ from: 65, to: 70, service, version: 'v'.repeat(5_000) }),
      ...requests({ from: 66, to: 70, service: '__proto__' }),
      ...requests({ from: 66, to: 70, operation: 'o'.repeat(60_000) }),
    ])
    await look()
    expect((await control.events.list(gridId, { startMs: 0, endMs: nowMs })).map(({ type }) => type).sort()).toEqual([
      'deployment',
      'new_endpoint',
      'new_service',
      'new_service',
    ])
  })
})

describe('the same telemetry in any order and in any batches', () => {
  const telemetry = () => [
    ...requests({ from: 0, to: 70, instance: 'a' }),
    ...requests({ from: 0, to: 72, instance: 'b' }),
    ...requests({ from: 68, to: 250, instance: 'c', version: '2' }),
    ...requests({ from: 71, to: 250, instance: 'd', version: '2' }),
    ...requests({ from: 100, to: 190, instance: 'e', version: '2' }),
    ...requests({
      from: 130,
      to: 150,
      instance: 'c',
      version: '2',
      operation: 'GET /bad',
      perMinute: 9,
      status: 'ERROR',
    }),
    ...requests({ from: 0, to: 100, service: 'shop', settings: { flag: 'off' } }),
    ...requests({ from: 100, to: 250, service: 'shop', settings: { flag: 'on' } }),
    ...requests({ from: 160, to: 250, service: 'late' }),
  ]

  it.each([1, 2, 3])('gives the same events (%i)', async (seed) => {
    made = 0
    const random = new SeededRandom(seed)
    const spans = telemetry()
    await write(spans)
    await look()
    const atOnce = await recorded()
    expect(atOnce).toEqual(
      expect.arrayContaining([
        '+68 deployment cart: deployed version 2 (previously 1)',
        '+100 scaling cart: scaled from 2 to 3 instances',
        '+100 configuration shop: changed flag from off to on',
        '+130 new_endpoint cart: new endpoint GET /bad',
        expect.stringMatching(/^\+130 anomaly cart: error rate rose from 0% to/),
        expect.stringMatching(/^\+150 recovery cart: error rate is back/),
        '+160 new_service late: new service late',
      ]),
    )

    gridId = (await control.grids.create({ name: 'Again' })).id
    const order = seed % 2 === 0 ? random.shuffled(spans) : spans.toSorted((a, b) => (b.atMs ?? 0) - (a.atMs ?? 0))
    while (order.length > 0) {
      await write(order.splice(0, 1 + random.below(1_500)))
      await look()
    }
    expect(await recorded()).toEqual(atOnce)
  })
})
