import { expect, it } from 'vitest'
import { diagnosed } from '../testing/diagnosed.ts'
import type { Fault } from '../testing/fault.ts'
import { incident, ONSET } from '../testing/incident.ts'
import { times } from '../testing/made-facts.ts'

/** What happens on any day: now and then something fails, one request in a hundred is very slow. */
const ORDINARY: Fault = {
  throws: ({ random }) => (random.chance(0.004) ? { type: 'OddError', message: 'now and then' } : undefined),
  slower: ({ random }) => (random.chance(0.01) ? 200 + 800 * random.fraction() : undefined),
}

it.each([1, 2, 3, 4, 5, 6])('an ordinary day gives no diagnosis (seed %d)', async (seed) => {
  expect(await incident([ORDINARY], { seed, requestsPerMinute: [8, 20, 40][seed % 3] as number })).toEqual([])
})

it('more requests that are borne well give no diagnosis', async () => {
  expect(await incident([{ traffic: (_, minute) => (minute >= ONSET ? 3 : 1) }])).toEqual([])
})

it('a new version that is as good as the old one gives no diagnosis', async () => {
  const found = await incident([
    ORDINARY,
    { versionOf: ({ serviceName, minute }) => (serviceName === 'cart' && minute >= ONSET ? '2.1.0' : undefined) },
  ])
  expect(found).toEqual([])
})

it('recovery from a usual share of failures gives no diagnosis', async () => {
  const failure = { type: 'OddError', message: 'often' }
  const found = await incident([
    { throws: ({ minute, random }) => (minute < ONSET && random.chance(0.05) ? failure : undefined) },
  ])
  expect(found).toEqual([])
})

it('a Grid without telemetry gives no diagnosis', async () => {
  expect(await incident([], { minutes: 0 })).toEqual([])
})

it('a moment before all telemetry gives no diagnosis', async () => {
  expect(await incident([], { atMinute: -60, minutes: 2 })).toEqual([])
})

it('failures that were always logged give no diagnosis, however little of the time before is read', async () => {
  const minutes = Array.from({ length: 55 }, (_, minute) => minute)
  const spans = minutes.flatMap((minute) =>
    times(10, (i) => ({
      ...{ trace: `${100 * minute + i}`, id: `${100 * minute + i}`, service: 'shop', kind: 'SERVER' as const },
      ...{ operation: 'buy', atMs: minute * 60_000 + i * 5000, durationMs: 10 },
    })),
  )
  const logs = ['not found', 'out of stock'].flatMap((body, more) =>
    minutes.flatMap((minute) =>
      times(4 + more, (i) => ({ service: 'shop', body, severityNumber: 17, atMs: minute * 60_000 + i * 7000 })),
    ),
  )
  expect(await diagnosed(spans, { atMinute: 55, windowMinutes: 3, logs })).toEqual([])
})
