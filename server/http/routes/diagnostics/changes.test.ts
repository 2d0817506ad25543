import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { GridEvent } from '../../../control/control-store.ts'
import { type SpanLiteral, spanColumnsOf } from '../../../storage/conformance/span-builder.ts'
import { createMemoryStore } from '../../../storage/memory/memory-store.ts'
import { lookForEvents } from '../../../watch/events-look.ts'
import { createTestApp, NOW_MS, problem, type TestApp } from '../../testing/test-app.ts'

let test: TestApp
let headers: Record<string, string>
const telemetry = createMemoryStore()

beforeAll(async () => {
  test = await createTestApp({ telemetry })
})
beforeEach(async () => {
  await test.useNewGrid()
  headers = await test.key('Guest', ['read'])
})
afterAll(() => test.app.close())

const MINUTE_MS = 60_000
const at = (minute: number) => NOW_MS + (minute - 120) * MINUTE_MS
const iso = (minute: number) => new Date(at(minute)).toISOString()
const ask = (question: string, query = '') =>
  test.ask({ url: `/apm/diagnostics/${test.gridId}/${question}${query}`, headers })

/** An event so many minutes after 10:00. It is 12:00. */
const event = (minute: number, facts: Partial<GridEvent> = {}): GridEvent => ({
  key: `${facts.type} ${facts.serviceName} ${minute}`,
  atMs: at(minute),
  type: 'deployment',
  severity: 'info',
  serviceName: 'cart',
  description: 'deployed version 2 (previously 1)',
  details: { previousVersion: '1', currentVersion: '2' },
  ...facts,
})
const write = (spans: SpanLiteral[]) => telemetry.writeSpans(test.gridId, spanColumnsOf(spans))
const record = (...events: GridEvent[]) => test.control.events.record(test.gridId, events, NOW_MS)

let made = 0
const requests = (from: number, to: number, literal: SpanLiteral = {}): SpanLiteral[] =>
  Array.from({ length: (to - from) * 5 }, (_, n) => {
    const id = (++made).toString(16)
    const atMs = from * MINUTE_MS + n * 12_000
    return {
      trace: id,
      id,
      service: 'cart',
      kind: 'SERVER' as const,
      atMs,
      durationMs: n % 2 === 0 ? 90 : 110,
      ...literal,
    }
  })

describe('the timeline', () => {
  it('is empty where nothing happened', async () => {
    expect((await ask('timeline')).body).toEqual({ events: [] })
  })

  it('has everything that is recorded of the last 24 hours, ascending', async () => {
    const alert = { type: 'alert', severity: 'critical', serviceName: '', description: 'High Error Rate' } as const
    await record(event(100, alert), event(50), event(-1320, { serviceName: 'first' }), event(-1321), event(120))
    expect((await ask('timeline')).body).toEqual({
      events: [
        {
          timestamp: iso(-1320),
          type: 'deployment',
          description: 'deployed version 2 (previously 1)',
          severity: 'info',
          serviceName: 'first',
        },
        {
          timestamp: iso(50),
          type: 'deployment',
          description: 'deployed version 2 (previously 1)',
          severity: 'info',
          serviceName: 'cart',
        },
        {
          timestamp: iso(100),
          type: 'alert',
          description: 'High Error Rate',
          severity: 'critical',
          serviceName: '',
        },
      ],
    })
  })

  it('can be asked about another moment and another window', async () => {
    await record(event(10), event(20), event(30), event(40))
    const { events } = (await ask('timeline', `?at=${iso(40)}&window=20`)).body
    expect((events as { timestamp: string }[]).map(({ timestamp }) => timestamp)).toEqual([iso(20), iso(30)])
  })

  it('refuses what cannot be asked', async () => {
    expect(await ask('timeline', `?at=${iso(121)}`)).toMatchObject(problem('invalid-parameter'))
    expect(await ask('timeline', '?window=1441')).toMatchObject(problem('invalid-parameter'))
    expect(await ask('changes', '?window=0')).toMatchObject(problem('invalid-parameter'))
    expect(await ask('changes', '?at=yesterday')).toMatchObject(problem('invalid-parameter'))
  })
})

describe('changes', () => {
  const neutral = { latencyChange: '0%', errorRateChange: '0%', assessment: 'neutral' }

  it('are none where nothing changed', async () => {
    await record(event(50, { type: 'anomaly' }), event(60, { type: 'recovery' }), event(70, { type: 'alert' }))
    expect((await ask('changes')).body).toEqual({ changes: [] })
  })

  it('are listed newest first, deployments with their versions and others with a description', async () => {
    const description = 'scaled from 3 to 5 instances'
    await record(event(50), event(60, { type: 'scaling', description, details: {} }))
    expect((await ask('changes')).body).toEqual({
      changes: [
        { type: 'scaling', serviceName: 'cart', detectedAt: iso(60), description, performanceImpact: neutral },
        {
          type: 'deployment',
          serviceName: 'cart',
          detectedAt: iso(50),
          previousVersion: '1',
          currentVersion: '2',
          performanceImpact: neutral,
        },
      ],
    })
  })

  it('tell what became of the performance of their service', async () => {
    await write([
      ...requests(0, 30, { durationMs: 9_999, status: 'ERROR' }),
      ...requests(30, 60),
      ...requests(60, 90, { durationMs: 300 }),
      ...requests(60, 63, { durationMs: 300, status: 'ERROR' }),
      ...requests(90, 119, { durationMs: 9_999, status: 'ERROR' }),
      ...requests(60, 119, { service: 'shop', durationMs: 9_999 }),
    ])
    await record(event(60))
    expect((await ask('changes')).body).toMatchObject({
      changes: [{ performanceImpact: { latencyChange: '+200%', errorRateChange: '+100%', assessment: 'negative' } }],
    })
  })

  it('are judged as of the moment that is asked about', async () => {
    await write([...requests(30, 60), ...requests(60, 90, { durationMs: 300 })])
    await record(event(60))
    expect((await ask('changes', `?at=${iso(65)}`)).body).toMatchObject({
      changes: [{ performanceImpact: { latencyChange: '+200%', assessment: 'neutral' } }],
    })
    expect((await ask('changes', `?at=${iso(90)}`)).body).toMatchObject({
      changes: [{ performanceImpact: { latencyChange: '+200%', assessment: 'negative' } }],
    })
  })

  it('are positive where a rollback helps, in whichever window it is asked about', async () => {
    await write([...requests(40, 60), ...requests(60, 68, { durationMs: 900 }), ...requests(68, 98)])
    await record(event(60), event(68, { key: 'back' }))
    const answered = { performanceImpact: { latencyChange: '-89%', assessment: 'positive' } }
    expect((await ask('changes')).body).toMatchObject({
      changes: [answered, { performanceImpact: { latencyChange: '+800%', assessment: 'negative' } }],
    })
    expect((await ask('changes', `?at=${iso(98)}&window=31`)).body).toMatchObject({ changes: [answered] })
  })

  it('are found in telemetry', async () => {
    const version = (value: string) => ({ resource: { 'service.version': value, 'service.instance.id': 'a' } })
    await write([...requests(0, 60, version('1')), ...requests(60, 119, version('2'))])
    const reader = telemetry.reader(test.gridId)
    await lookForEvents(test.gridId, { reader, control: test.control, clock: () => NOW_MS, isStopped: () => false })
    expect((await ask('changes')).body).toMatchObject({
      changes: [{ type: 'deployment', detectedAt: iso(60), previousVersion: '1', currentVersion: '2' }],
    })
    expect((await ask('timeline')).body).toMatchObject({ events: [{ type: 'deployment', timestamp: iso(60) }] })
  })
})
