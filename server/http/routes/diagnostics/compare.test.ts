import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { problem } from '../../testing/test-app.ts'
import { createDiagnosticsTest, type DiagnosticsTest, requestsAt } from './testing/diagnostics-test.ts'

let test: DiagnosticsTest
beforeAll(async () => {
  test = await createDiagnosticsTest()
})
beforeEach(() => test.useNewGrid())
afterAll(() => test.app.app.close())

const WINDOWS = {
  currentStart: '2026-03-01T11:00:00Z',
  currentEnd: '2026-03-01T12:00:00Z',
  baselineStart: '2026-03-01T10:00:00Z',
  baselineEnd: '2026-03-01T11:00:00Z',
}
const compare = (windows: Partial<typeof WINDOWS> = {}) =>
  test.ask(`compare?${new URLSearchParams({ ...WINDOWS, ...windows })}`)

const NOTHING = { avgLatencyMs: 0, p95LatencyMs: 0, errorRate: 0, throughputRps: 0, apdex: 1 }
const SAME = { absolute: 0, percent: 0 }

describe('a comparison', () => {
  it('of nothing with nothing is zero', async () => {
    expect((await compare()).body).toEqual({
      baseline: { rangeStart: '2026-03-01T10:00:00.000Z', rangeEnd: '2026-03-01T11:00:00.000Z', ...NOTHING },
      current: { rangeStart: '2026-03-01T11:00:00.000Z', rangeEnd: '2026-03-01T12:00:00.000Z', ...NOTHING },
      deltas: { avgLatencyMs: SAME, p95LatencyMs: SAME, errorRate: SAME, throughputRps: SAME, apdex: SAME },
      regressions: [],
    })
  })

  it('shows what changed and which service became worse', async () => {
    await test.app.write([
      ...requestsAt(10, 360, { durationMs: 100 }),
      ...requestsAt(10, 360, { durationMs: 20, service: 'cart' }),
      ...requestsAt(70, 360, { durationMs: 150 }),
      ...requestsAt(70, 360, { durationMs: 20, service: 'cart' }),
    ])
    const { baseline, current, deltas, regressions } = (await compare()).body
    expect(baseline).toMatchObject({ avgLatencyMs: 60, p95LatencyMs: 100, throughputRps: 0.2, errorRate: 0, apdex: 1 })
    expect(current).toMatchObject({ avgLatencyMs: 85, p95LatencyMs: 150, throughputRps: 0.2 })
    expect(deltas).toMatchObject({
      avgLatencyMs: { absolute: 25, percent: 41.67 },
      p95LatencyMs: { absolute: 50, percent: 50 },
      throughputRps: SAME,
    })
    expect(regressions).toEqual([
      { serviceName: 'shop', metric: 'avgLatencyMs', baselineValue: 100, currentValue: 150, changePercent: 50 },
      { serviceName: 'shop', metric: 'p95LatencyMs', baselineValue: 100, currentValue: 150, changePercent: 50 },
    ])
  })

  it('is exact to the millisecond, and takes windows that overlap or are of different lengths', async () => {
    await test.app.write(requestsAt(60, 100))
    const windows = { currentStart: '2026-03-01T11:00:00.010Z', currentEnd: '2026-03-01T11:00:00.060Z' }
    expect((await compare({ ...windows, baselineEnd: '2026-03-01T11:00:00.020Z' })).body).toMatchObject({
      baseline: { throughputRps: 0.0056, rangeEnd: '2026-03-01T11:00:00.020Z' },
      current: { throughputRps: 1000, rangeStart: '2026-03-01T11:00:00.010Z', rangeEnd: '2026-03-01T11:00:00.060Z' },
    })
  })

  it('is widened to whole minutes where spans are no longer kept, and says so', async () => {
    const windows = {
      currentStart: '2026-02-22T11:59:59.999Z',
      currentEnd: '2026-02-22T12:00:30.500Z',
      baselineStart: '2026-02-20T11:30:20.000Z',
      baselineEnd: '2026-02-20T11:59:00.001Z',
    }
    expect((await compare(windows)).body).toMatchObject({
      current: { rangeStart: '2026-02-22T11:59:00.000Z', rangeEnd: '2026-02-22T12:00:30.500Z' },
      baseline: { rangeStart: '2026-02-20T11:30:00.000Z', rangeEnd: '2026-02-20T12:00:00.000Z' },
    })
  })

  it.each(['currentStart', 'currentEnd', 'baselineStart', 'baselineEnd'])('needs %s, a datetime', async (name) => {
    const query = new URLSearchParams(WINDOWS)
    query.delete(name)
    const missing = await test.ask(`compare?${query}`)
    expect(missing).toMatchObject(problem('invalid-parameter'))
    expect(missing.detail).toMatch(new RegExp(`^${name} is required: an ISO 8601 datetime`))
    const wrong = await compare({ [name]: 'yesterday' })
    expect(wrong).toMatchObject(problem('invalid-parameter'))
    expect(wrong.detail).toMatch(new RegExp(`^${name} must be an ISO 8601 datetime`))
  })

  it('needs ends after starts', async () => {
    const equal = { currentEnd: WINDOWS.currentStart }
    expect(await compare(equal)).toMatchObject({
      ...problem('invalid-parameter'),
      detail: 'currentEnd must be after currentStart.',
    })
    const reversed = { baselineEnd: '2026-03-01T09:00:00Z' }
    expect(await compare(reversed)).toMatchObject({ status: 400, detail: 'baselineEnd must be after baselineStart.' })
  })

  it('takes offsets, and UTC without one', async () => {
    const windows = { currentStart: '2026-03-01T12:00:00+01:00', currentEnd: '2026-03-01T12:00:00' }
    expect((await compare(windows)).body).toMatchObject({
      current: { rangeStart: '2026-03-01T11:00:00.000Z', rangeEnd: '2026-03-01T12:00:00.000Z' },
    })
  })
})
