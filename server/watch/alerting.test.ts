import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ControlStore } from '../control/control-store.ts'
import { openSqliteControlStore } from '../control/sqlite/open-control-store.ts'
import { type AlertRuleSettings, RULE_DEFAULTS } from '../domain/alert-rule.ts'
import { logColumnsOf } from '../storage/conformance/log-builder.ts'
import { metricPointOf } from '../storage/conformance/metric-builder.ts'
import { type SpanLiteral, spanColumnsOf } from '../storage/conformance/span-builder.ts'
import { BASE_NS } from '../storage/conformance/test-time.ts'
import { createMemoryStore } from '../storage/memory/memory-store.ts'
import type { TelemetryReader, TelemetryStore } from '../storage/telemetry-store.ts'
import { type Alerting, createAlerting, watchAlerts } from './alerting.ts'

const BASE_MS = Number(BASE_NS / 1_000_000n)
const MINUTE_MS = 60_000
const HOUR = 60

let control: ControlStore
let telemetry: TelemetryStore
let alerting: Alerting
let gridId: string
let nowMs: number
let reported: unknown[]
let made = 0

const clock = () => nowMs
const report = (error: unknown) => void reported.push(error)

beforeEach(async () => {
  control = await openSqliteControlStore(':memory:')
  telemetry = createMemoryStore()
  gridId = (await control.grids.create({ name: 'Shop' })).id
  reported = []
  alerting = createAlerting({ telemetry, control, clock, report })
})
afterEach(async () => {
  await control.close()
  await telemetry.close()
})

/** Requests of a service, ten a minute, from one minute to (but without) another; the second half of a minute may fail. */
async function requests(service: string, from: number, to: number, literal: SpanLiteral & { failing?: boolean } = {}) {
  const { failing = false, ...span } = literal
  const spans = Array.from({ length: Math.round((to - from) * 10) }, (_, i): SpanLiteral => {
    const id = (++made).toString(16)
    const status = failing && i % 10 >= 5 ? { status: 'ERROR' as const } : {}
    return { trace: id, id, service, kind: 'SERVER', atMs: from * MINUTE_MS + i * 6000, ...status, ...span }
  })
  await telemetry.writeSpans(gridId, spanColumnsOf(spans))
}

/** Looks so many minutes (and seconds) after the base. */
async function lookAt(minute: number, seconds = 20): Promise<void> {
  nowMs = BASE_MS + minute * MINUTE_MS + seconds * 1000
  await alerting.lookAtAll()
  expect(reported).toEqual([])
}

const active = async () =>
  (await control.alerts.activeAt(gridId, nowMs)).map(({ ruleName, serviceName }) => `${ruleName}: ${serviceName}`)

const events = async () =>
  (await control.events.list(gridId, { startMs: 0, endMs: nowMs + 1 })).map(
    ({ type, severity, description }) => `${type} ${severity} ${description}`,
  )

async function addRule(settings: Pick<AlertRuleSettings, 'metric' | 'threshold'> & Partial<AlertRuleSettings>) {
  const common = { ...RULE_DEFAULTS, channels: [], name: 'Mine', comparator: '>' as const, durationMinutes: 0 }
  return control.alerts.rules.create(gridId, { ...common, recoveryThreshold: settings.threshold, ...settings })
}

describe('a look', () => {
  it('fires for what has held long enough, tells the timeline once, and resolves it', async () => {
    await requests('cart', 0, 60)
    await requests('shop', 0, 55)
    await requests('shop', 55, 60, { failing: true })
    await lookAt(60, 0)
    expect(await active()).toEqual(['High Error Rate: shop'])
    const [alert] = await control.alerts.activeAt(gridId, nowMs)
    expect(alert).toMatchObject({
      severity: 'critical',
      condition: 'error_rate > 5%',
      value: 50,
      triggeredAtMs: nowMs,
      status: 'firing',
    })
    await lookAt(60, 15)
    expect(await events()).toEqual(['alert critical High Error Rate in shop: error_rate > 5%, at 50%'])

    for (const service of ['cart', 'shop']) await requests(service, 60, 80)
    for (let minute = 61; minute < 69; minute++) await lookAt(minute)
    expect(await active()).toEqual([])
    const recovered = await control.alerts.find(gridId, alert?.id ?? '')
    expect(recovered).toMatchObject({ resolution: 'recovered', triggeredAtMs: alert?.triggeredAtMs })
    expect(await events()).toEqual([
      'alert critical High Error Rate in shop: error_rate > 5%, at 50%',
      expect.stringMatching(/^recovery info High Error Rate in shop resolved after [78] min: back at \d\S*%$/),
    ])
  })

  it('gives an alert that fires again a new id', async () => {
    const idOf = async () => (await control.alerts.activeAt(gridId, nowMs))[0]?.id
    await requests('shop', 0, 20, { failing: true })
    await lookAt(10)
    const first = await idOf()
    await requests('shop', 20, 40)
    for (let minute = 21; minute < 32; minute++) await lookAt(minute)
    expect(await idOf()).toBeUndefined()
    await requests('shop', 40, 60, { failing: true })
    await lookAt(45)
    const second = await idOf()
    expect([first, second]).toEqual([expect.any(String), expect.any(String)])
    expect(second).not.toBe(first)
    expect(await events()).toHaveLength(3)
  })

  it('sets off nothing for telemetry of the past', async () => {
    await requests('shop', -26 * HOUR, -25 * HOUR, { failing: true, durationMs: 9000 })
    await requests('cart', 0, 30)
    await lookAt(30, 0)
    expect(await active()).toEqual([])
    expect(await events()).toEqual([])
  })

  it('sets off nothing while the last hours are brought in, nor when they end some time ago', async () => {
    for (let minute = -75; minute < 0; minute += 25) {
      await requests('shop', minute, minute + 25)
      await lookAt(0, 30 + minute / 5)
      expect(await active()).toEqual([])
    }
    await requests('other', -75, -20)
    for (const seconds of [40, 55]) await lookAt(0, seconds)
    expect(await active()).toEqual([])
  })

  it('takes what is only a little late for live, once nothing more comes', async () => {
    await lookAt(59)
    await requests('shop', 0, 54)
    await lookAt(60)
    expect(await active()).toEqual([])
    await lookAt(60, 35)
    expect(await active()).toEqual(['Service Silent: shop'])
  })

  it('judges latency and Apdex by the defaults, after their durations', async () => {
    await requests('slow', 0, 40, { durationMs: 2500 })
    await requests('quick', 0, 40, { durationMs: 100 })
    await requests('slow', 40, 50, { durationMs: 2500 })
    await requests('quick', 40, 50, { durationMs: 100 })
    await lookAt(50, 0)
    expect(await active()).toEqual(['Elevated Latency: slow', 'Low Apdex: slow'])
  })

  it('finds a service that fell silent, and that it is back', async () => {
    await requests('shop', 0, 60)
    await lookAt(64)
    expect(await active()).toEqual([])
    await lookAt(65, 0)
    expect(await active()).toEqual(['Service Silent: shop'])
    await lookAt(65 + 120)
    expect(await active()).toEqual(['Service Silent: shop'])
    expect((await control.alerts.activeAt(gridId, nowMs))[0]?.value).toBeCloseTo(125 + 1 / 3)
    await requests('shop', 185, 188)
    await lookAt(186)
    await lookAt(188)
    expect(await active()).toEqual([])
  })

  it('judges log records and stored metrics by rules of their own', async () => {
    const logs = Array.from({ length: 12 }, (_, i) => ({
      id: `${i}`,
      service: 'shop',
      severityNumber: 17,
      atMs: i * 1000,
    }))
    await telemetry.writeLogs(
      gridId,
      logColumnsOf([...logs, { id: 'x', service: 'cart', severityNumber: 16, atMs: 5 }]),
    )
    await telemetry.writeMetrics(gridId, [
      metricPointOf({ name: 'queue.length', service: 'mail', value: 90, atMs: 30_000 }),
      metricPointOf({ name: 'queue.length', service: 'cart', value: 9, atMs: 30_000 }),
    ])
    await addRule({ name: 'Errors', metric: 'log_errors', threshold: 11 })
    await addRule({ name: 'Queue', metric: 'queue.length', threshold: 50 })
    await lookAt(1)
    expect((await active()).sort()).toEqual(['Errors: shop', 'Queue: mail'])
    expect(
      (await control.alerts.activeAt(gridId, nowMs)).map(({ condition, value }) => `${condition} ${value}`).sort(),
    ).toEqual(['log_errors > 11 12', 'queue.length > 50 90'])
  })

  it('fires for a service that a rule names and nobody has heard of, where no data means so', async () => {
    await addRule({ metric: 'heartbeat', threshold: 1, comparator: '<', serviceName: 'cron', noData: 'fire' })
    await lookAt(0)
    expect(await active()).toEqual(['Mine: cron'])
  })

  it('judges no disabled rule, and no Grid whose subscription has ended', async () => {
    await requests('shop', 0, 60, { failing: true })
    await control.grids.update(gridId, { subscriptionState: 'suspended' })
    await lookAt(60, 0)
    expect(await active()).toEqual([])
    await control.grids.update(gridId, { subscriptionState: 'trial' })
    for (const rule of await control.alerts.rules.list(gridId))
      await control.alerts.rules.update(gridId, rule.id, { ...rule, enabled: false }, nowMs)
    await lookAt(60, 15)
    expect(await active()).toEqual([])
  })

  it('keeps services apart whose names nobody could store', async () => {
    await requests('sh\0op', 0, 10, { failing: true })
    await requests('cart', 0, 10, { failing: true })
    await lookAt(10, 0)
    expect((await active()).sort()).toEqual(['High Error Rate: cart', 'High Error Rate: sh\u{fffd}op'])
  })

  it('asks the store twice for the default rules, for each minute once', async () => {
    const asked: { startMs: number; endMs: number; latencies: boolean }[] = []
    const reader: TelemetryReader = {
      ...telemetry.reader(gridId),
      requests: async ({ window, latencies }) => {
        const ms = (ns: bigint) => (Number(ns / 1_000_000n) - nowMs) / MINUTE_MS
        asked.push({ startMs: ms(window.startNs), endMs: ms(window.endNs), latencies })
        return []
      },
      logCounts: () => Promise.reject(new Error('nobody needs logs')),
      pointsOf: () => Promise.reject(new Error('nobody needs points')),
    }
    alerting = createAlerting({ telemetry: { reader: () => reader }, control, clock, report })
    await lookAt(60, 0)
    expect(asked).toEqual([
      { startMs: -10, endMs: 0, latencies: true },
      { startMs: -70, endMs: -10, latencies: false },
    ])
  })
})

describe('a fault', () => {
  it('of one Grid is reported, and the others are judged', async () => {
    const broken = (await control.grids.create({ name: 'Broken' })).id
    await requests('shop', 0, 60, { failing: true })
    nowMs = BASE_MS + 60 * MINUTE_MS
    const reader = (id: string) => {
      if (id === broken) throw new Error('out of order')
      return telemetry.reader(id)
    }
    await createAlerting({ telemetry: { reader }, control, clock, report }).lookAtAll()
    expect(reported).toEqual([new Error('out of order')])
    expect(await active()).toEqual(['High Error Rate: shop'])
  })

  it('between an alert and the timeline is made good by the next look', async () => {
    await requests('shop', 0, 60, { failing: true })
    const failing = { ...control.events, record: () => Promise.reject(new Error('ended')) }
    nowMs = BASE_MS + 60 * MINUTE_MS
    await createAlerting({ telemetry, control: { ...control, events: failing }, clock, report }).lookAtAll()
    expect(reported).toEqual([new Error('ended')])
    reported = []
    expect([await active(), await events()]).toEqual([['High Error Rate: shop'], []])
    await lookAt(60)
    expect(await events()).toHaveLength(1)
  })
})

describe('a restart', () => {
  it('goes on with the alerts of before, whose time and id stay', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'control-'))
    const path = join(folder, 'control.db')
    await control.close()
    control = await openSqliteControlStore(path)
    gridId = (await control.grids.create({ name: 'Shop' })).id
    alerting = createAlerting({ telemetry, control, clock, report })
    await requests('shop', 0, 61, { failing: true })
    await requests('cart', 0, 59)
    await requests('cart', 59, 61, { failing: true })
    await lookAt(60, 0)
    const before = await control.alerts.activeAt(gridId, nowMs)
    await control.close()
    control = await openSqliteControlStore(path)
    alerting = createAlerting({ telemetry, control, clock, report })
    await lookAt(62, 20)
    const after = await control.alerts.activeAt(gridId, nowMs)
    expect(before).toMatchObject([{ serviceName: 'shop', triggeredAtMs: BASE_MS + 60 * MINUTE_MS }])
    expect(after).toMatchObject([
      { serviceName: 'cart' },
      { id: before[0]?.id, triggeredAtMs: before[0]?.triggeredAtMs },
    ])
    await rm(folder, { recursive: true, force: true })
  })

  it('after a while takes nobody for silent, since nobody listened', async () => {
    await requests('shop', 0, 60)
    await lookAt(59)
    await alerting.noteLook()
    alerting = createAlerting({ telemetry, control, clock, report })
    await lookAt(75)
    expect(await active()).toEqual([])
    for (let minute = 76; minute <= 80; minute++) await lookAt(minute)
    expect(await active()).toEqual(['Service Silent: shop'])
  })

  it('of a moment changes nothing', async () => {
    await requests('shop', 0, 60)
    await lookAt(64)
    await alerting.noteLook()
    alerting = createAlerting({ telemetry, control, clock, report })
    await lookAt(65)
    expect(await active()).toEqual(['Service Silent: shop'])
  })
})

describe('watching', () => {
  it('looks again and again, never twice at once, and ends with the look that it is at', async () => {
    let looks = 0
    let running = 0
    let runningMax = 0
    let tell = () => {}
    const lookedThrice = new Promise<void>((resolve) => {
      tell = resolve
    })
    nowMs = BASE_MS
    const reader: TelemetryReader = {
      ...telemetry.reader(gridId),
      requests: async ({ latencies }) => {
        if (!latencies) return []
        runningMax = Math.max(runningMax, ++running)
        await new Promise((resolve) => setImmediate(resolve))
        running--
        if (++looks === 3) tell()
        return []
      },
    }
    const stop = watchAlerts({ telemetry: { reader: () => reader }, control, clock, report, intervalMs: 1 })
    await lookedThrice
    await stop()
    const ended = looks
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect([running, runningMax, looks]).toEqual([0, 1, ended])
    expect(await control.alerts.lookedAtMs()).toBe(BASE_MS)
    expect(reported).toEqual([])
  })
})
