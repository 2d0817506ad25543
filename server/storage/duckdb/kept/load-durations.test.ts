import { afterEach, expect, it, vi } from 'vitest'
import { randomTrace } from '../../conformance/random-spans.ts'
import { SeededRandom } from '../../conformance/seeded-random.ts'
import { type SpanLiteral, spanColumnsOf } from '../../conformance/span-builder.ts'
import { MS_PER_HOUR, windowMs } from '../../conformance/test-time.ts'
import { createMemoryStore } from '../../memory/memory-store.ts'
import type { TelemetryStore } from '../../telemetry-store.ts'
import { Session } from '../engine/session.ts'
import { GRID, TestStores } from '../testing/test-store.ts'

const stores = new TestStores()

afterEach(async () => {
  vi.restoreAllMocks()
  await stores.dispose()
})

const MINUTE_MS = 60_000
const HOURS = 3
const WHOLE = windowMs(0, HOURS * MS_PER_HOUR)

/** One operation that is too frequent to be told one by one, and one that is so in a single minute of an hour. */
function frequentSpans(): SpanLiteral[] {
  const span = (operation: string, i: number, atMs: number): SpanLiteral => ({
    trace: `${operation.length}${i}`,
    id: `${operation.length}${i}`,
    kind: 'SERVER',
    service: 'web',
    operation,
    atMs,
    durationMs: (i % 97) + 1,
  })
  return [
    ...Array.from({ length: 1200 }, (_, i) => span('frequent', i, i * 9000)),
    ...Array.from({ length: 200 }, (_, i) => span('in a burst', i, 30 * MINUTE_MS + i * 100)),
  ]
}

async function durationsOf(store: TelemetryStore, window = WHOLE, serviceName?: string) {
  const by: ('service' | 'operation')[] = ['service', 'operation']
  const groups = await store.reader(GRID).requests({ window, by, latencies: true, ...(serviceName && { serviceName }) })
  const told = groups.map(({ serviceName: service, operationName, requestCount, latencies }) =>
    [service, operationName, requestCount, (latencies.exactNs ?? []).toSorted((a, b) => a - b)].join(' '),
  )
  return told.sort()
}

it('how long requests took is the same from what is read of some series, of some minutes, and added since', async () => {
  const random = new SeededRandom(11)
  const spans = [...Array.from({ length: 300 }, () => randomTrace(random)).flat(), ...frequentSpans()]
  const late = Array.from({ length: 60 }, () => randomTrace(random)).flat()
  const folder = await stores.newFolder()
  const first = await stores.open(folder)
  await first.writeSpans(GRID, spanColumnsOf(spans))
  await first.settle()
  await first.close()
  const [store, plain] = [await stores.open(folder), createMemoryStore()]
  await plain.writeSpans(GRID, spanColumnsOf(spans))
  const agree = async (window = WHOLE, service?: string) =>
    expect(await durationsOf(store, window, service)).toEqual(await durationsOf(plain, window, service))
  const asked = vi.spyOn(Session.prototype, 'numbers')
  const readings = () => asked.mock.calls.map(([sql]) => sql).filter((sql) => sql.includes('SEMI JOIN'))
  await agree(WHOLE, 'pay')
  const ofSeries = readings()
  expect(ofSeries).not.toEqual([])
  for (const sql of ofSeries) expect(sql).toContain('operation_no IN')
  await agree(WHOLE, 'pay')
  expect(readings()).toEqual(ofSeries)
  await Promise.all([agree(), agree(WHOLE, 'web'), agree(windowMs(0, 2 * MS_PER_HOUR))])
  for (const window of [windowMs(25 * MINUTE_MS, 35 * MINUTE_MS), windowMs(MINUTE_MS, 59 * MINUTE_MS)])
    await agree(window)
  for (const each of [store, plain]) await each.writeSpans(GRID, spanColumnsOf(late))
  await agree()
  await store.settle()
  await agree()
  await agree(WHOLE, 'pay')
  await agree(windowMs(50 * MINUTE_MS, 70 * MINUTE_MS))
})
