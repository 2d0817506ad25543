import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { RequestStep, RequestStepQuestion } from '../../chart-reader.ts'
import type { SpanLiteral } from '../../conformance/span-builder.ts'
import { MS_PER_HOUR, windowMs } from '../../conformance/test-time.ts'
import { StoreBesidePlain } from '../testing/store-beside-plain.ts'
import { GRID, OTHER_GRID, TestStores } from '../testing/test-store.ts'

const HOURS = 8
/** From the middle of the first hour to the middle of the last one. */
const WINDOW = windowMs(0.5 * MS_PER_HOUR, (HOURS - 0.5) * MS_PER_HOUR)
const QUESTIONS: RequestStepQuestion[] = [
  { window: WINDOW, stepMinutes: 5, filter: {}, groupBy: 'service.name', percentiles: true },
  { window: WINDOW, stepMinutes: 60, filter: {}, groupBy: '', percentiles: true },
  { window: WINDOW, stepMinutes: 10, filter: { 'span.name': 'GET /' }, groupBy: 'span.kind', percentiles: false },
]

const stores = new TestStores()
let both: StoreBesidePlain
let lastId: number

beforeEach(async () => {
  both = await StoreBesidePlain.open(stores)
  lastId = 0
  await both.write(
    GRID,
    Array.from({ length: HOURS * 12 }, (_, i) => spanAt(i * 5 + 1)),
  )
  await both.store.settle()
})
afterEach(() => stores.dispose())

/** Requests of three services, one of which has nothing but local roots. */
function spanAt(minute: number, rest: SpanLiteral = {}): SpanLiteral {
  const id = (++lastId).toString(16)
  const [kind, service] = (
    [
      ['SERVER', 'shop'],
      ['CONSUMER', 'pay'],
      ['INTERNAL', 'cron'],
    ] as const
  )[lastId % 3] as ['SERVER', 'shop']
  const durationMs = (lastId % 7) * 10
  return { trace: id, id, kind, service, operation: 'GET /', atMs: minute * 60_000, durationMs, ...rest }
}

function lines(steps: RequestStep[]): string[] {
  return steps
    .map(
      ({ group, stepNs, requestCount, errorCount, durationNsSum, p50Ms, p95Ms }) =>
        `${group} ${stepNs}: ${requestCount} ${errorCount} ${durationNsSum} ${p50Ms.toPrecision(2)} ${p95Ms.toPrecision(2)}`,
    )
    .sort()
}

/** Twice: the second time from what was kept. */
async function expectSame(gridId = GRID): Promise<void> {
  for (let time = 0; time < 2; time++)
    for (const question of QUESTIONS)
      expect(lines(await both.store.reader(gridId).requestSteps(question))).toEqual(
        lines(await both.plain.reader(gridId).requestSteps(question)),
      )
}

describe('steps of hours that are over', () => {
  it('are the same when they are asked for again', async () => {
    await expectSame()
  })

  it('have what comes late, before and after it is sealed', async () => {
    await expectSame()
    await both.write(GRID, [spanAt(185), spanAt(186, { status: 'ERROR' }), spanAt(187)])
    await expectSame()
    await both.store.settle()
    await expectSame()
  })

  it('have what corrects a span of theirs', async () => {
    await both.write(GRID, [spanAt(200, { trace: 'f1', id: 'f2', parent: 'f1', kind: 'SERVER', service: 'shop' })])
    await both.store.settle()
    await expectSame()
    // Its parent is of the same service: the first one was no request.
    await both.write(GRID, [spanAt(199, { trace: 'f1', id: 'f1', kind: 'SERVER', service: 'shop' })])
    await expectSame()
    await both.store.settle()
    await expectSame()
  })

  it('are judged by what a service is known for at the end of the window', async () => {
    await expectSame()
    await both.write(GRID, [spanAt(HOURS * 60 - 35, { kind: 'SERVER', service: 'cron' })])
    await both.store.settle()
    await expectSame()
  })

  it('are the same after the hours were rewritten, and after a restart', async () => {
    await expectSame()
    await both.store.compact(Date.now())
    await expectSame()
    await both.reopen()
    await expectSame()
  })

  it('are those of one Grid', async () => {
    await expectSame()
    await both.write(
      OTHER_GRID,
      Array.from({ length: HOURS * 6 }, (_, i) => spanAt(i * 10 + 2)),
    )
    await both.store.settle()
    await expectSame(OTHER_GRID)
    await expectSame(GRID)
    await both.store.dropGrid(GRID)
    await both.plain.dropGrid(GRID)
    await expectSame(GRID)
  })
})
