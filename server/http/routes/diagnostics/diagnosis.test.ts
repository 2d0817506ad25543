import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inService, throwing } from '../../../diagnostics/diagnosis/testing/fault.ts'
import { simulate } from '../../../diagnostics/diagnosis/testing/simulated-system.ts'
import { smallShop } from '../../../diagnostics/diagnosis/testing/small-shop.ts'
import { createTestApp, type TestApp } from '../../testing/test-app.ts'

/** Telemetry begins at 10:00, trouble at 10:20; it is 12:00. */
const ONSET = 20
const RECORDED_MS = Date.UTC(2026, 2, 1, 10, 19)

let test: TestApp
let headers: Record<string, string>

beforeAll(async () => {
  test = await createTestApp()
  headers = await test.key('Guest', ['read'])
  const fault = throwing(inService('payments', ONSET), 0.5, { type: 'IllegalStateException', message: 'no session' })
  await test.write(simulate(smallShop, { seed: 3, minutes: 25, requestsPerMinute: 30, faults: [fault] }))
})
afterAll(() => test.app.close())

const ask = (query: string) => test.ask({ url: `/apm/diagnostics/${test.gridId}/diagnosis${query}`, headers })

describe('a diagnosis', () => {
  it('says what broke at a moment, and since when', async () => {
    const { status, body } = await ask('?at=2026-03-01T10:25:00Z')
    expect(status).toBe(200)
    expect(body).toEqual({
      diagnoses: [
        {
          cause: 'Exception in payments (IllegalStateException)',
          confidence: expect.closeTo(0.94, 1),
          severity: 'critical',
          affectedServices: ['payments', 'checkout', 'web'],
          evidence: expect.arrayContaining([expect.stringContaining('IllegalStateException: no session')]),
          firstDetected: expect.stringMatching(/^2026-03-01T10:20:\d\d\.\d{3}Z$/),
          impactedTraceCount: expect.any(Number),
        },
      ],
    })
  })

  it('counts the traces that a search finds', async () => {
    const { body } = await ask('?at=2026-03-01T10:25:00Z')
    const [{ impactedTraceCount }] = body['diagnoses'] as [{ impactedTraceCount: number }]
    const search = await test.ask({
      method: 'POST',
      url: `/apm/traces/${test.gridId}`,
      headers,
      payload: {
        rangeStart: '2026-03-01T10:20:00Z',
        rangeEnd: '2026-03-01T10:25:00Z',
        serviceName: 'payments',
        status: 'ERROR',
      },
    })
    expect(impactedTraceCount).toBe(search.body.totalCount)
  })

  it('is none before the trouble, long after it, and before all telemetry', async () => {
    for (const query of ['?at=2026-03-01T10:20:00Z', '', '?at=2020-01-01T00:00:00Z'])
      expect((await ask(query)).body).toEqual({ diagnoses: [] })
  })

  it('knows of changes that were recorded', async () => {
    const description = 'deployment.flavor changed from small to large'
    const event = {
      type: 'configuration',
      severity: 'info',
      serviceName: 'payments',
      description,
      details: {},
    } as const
    await test.control.events.record(test.gridId, [{ ...event, key: 'c', atMs: RECORDED_MS }], RECORDED_MS)
    const { body } = await ask('?at=2026-03-01T10:25:00Z')
    expect(body['diagnoses']).toMatchObject([{ cause: 'Bad configuration in payments' }])
  })

  it('is refused of the future and of windows that are too long', async () => {
    expect((await ask('?at=2030-01-01T00:00:00Z')).status).toBe(400)
    expect((await ask('?window=1441')).detail).toMatch(/window/)
  })
})
