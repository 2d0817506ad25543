import { createHmac } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ControlStore } from '../control/control-store.ts'
import { openSqliteControlStore } from '../control/sqlite/open-control-store.ts'
import type { Diagnosis } from '../diagnostics/diagnosis/diagnosis.ts'
import type { NotifierOptions } from './notifier.ts'
import { type AlertFixture, createAlertFixture } from './testing/alert-fixture.ts'
import { FAIL, HANG, openReceiver, type Receiver, TAKE } from './testing/receiver.ts'
import { createTestNotifier } from './testing/test-notifier.ts'

const SECRET = 'what only we two know'
const DIAGNOSIS: Diagnosis = {
  cause: 'Connection pool exhaustion in payments (pay-primary)',
  confidence: 0.8,
  severity: 'critical',
  affectedServices: ['payments', 'checkout'],
  evidence: ['40 of 40 connections in use', 'waiting rose from 2 ms to 900 ms'],
  firstDetectedNs: 1_800_000_000_000_000_000n,
  impactedTraceCount: 7,
}

let control: ControlStore
let grid: AlertFixture
let receiver: Receiver
let stop: () => Promise<void>

beforeEach(async () => {
  control = await openSqliteControlStore(':memory:')
  grid = await createAlertFixture(control)
  receiver = await openReceiver()
  stop = async () => undefined
})
afterEach(async () => {
  await stop()
  await receiver.close()
  await control.close()
})

const start = (options: Partial<NotifierOptions> = {}) => {
  stop = createTestNotifier(control, options).start()
}
const addWebhook = () => grid.addChannel({ kind: 'webhook', url: `${receiver.url}/hook` }, SECRET)
const told = () =>
  receiver.received.map(({ message }) => message.alerts.map(({ status, serviceName }) => `${status} ${serviceName}`))
const log = async (channelId: string) =>
  (await control.channels.deliveries(grid.gridId, channelId, { offset: 0, limit: 100 })).items
const settled = async (channelId: string, count: number) => {
  while ((await log(channelId)).filter(({ state }) => state === 'delivered').length < count)
    await new Promise((resolve) => setTimeout(resolve, 5))
  return log(channelId)
}

describe('a webhook', () => {
  it('is told once that an alert fires and once that it ended', async () => {
    const channel = await addWebhook()
    start()
    await grid.fire(['checkout'])
    await receiver.until(1)
    for (let look = 0; look < 3; look++) await grid.look()
    await settled(channel.id, 1)
    await grid.resolve(['checkout'])
    await receiver.until(2)
    expect(await settled(channel.id, 2)).toMatchObject([
      { state: 'delivered', attempts: 1, statusCode: 204, error: '', alerts: [{ transition: 'resolved' }] },
      { state: 'delivered', attempts: 1, statusCode: 204, error: '', alerts: [{ transition: 'firing' }] },
    ])
    expect(told()).toEqual([['firing checkout'], ['resolved checkout']])
    const [fired] = receiver.received
    expect(fired?.path).toBe('/hook')
    expect(fired?.message).toMatchObject({
      type: 'alerts',
      grid: { gridSecondaryId: grid.gridId, name: 'Shop' },
      alerts: [{ ruleName: 'High Error Rate', severity: 'critical', condition: 'error_rate > 5%', currentValue: 12.5 }],
    })
    const alert = fired?.message.alerts[0]
    expect(alert?.link).toBe(`https://faultline.example/apm/grids/${grid.gridId}/alerts/${alert?.id}?api-version=2.0`)
    expect(alert).not.toHaveProperty('diagnosis')
  })

  it('can check who sent a message, when, and whether it has seen it before', async () => {
    await addWebhook()
    start()
    await grid.fire(['checkout'])
    await receiver.until(1)
    const [received] = receiver.received
    if (!received) throw new Error('Nothing was received.')
    const { headers, body, message } = received
    const timestamp = String(headers['faultline-timestamp'])
    const signature = createHmac('sha256', SECRET).update(`${timestamp}.${body}`).digest('hex')
    expect(headers['faultline-signature']).toBe(`v1=${signature}`)
    expect(Math.abs(Number(timestamp) - Date.now() / 1000)).toBeLessThan(60)
    expect(headers['faultline-delivery']).toBe(message.deliveryId)
    expect(body).not.toContain(SECRET)
  })

  it('gets what changed together as one message, and what is too much for one as several', async () => {
    await addWebhook()
    const services = Array.from({ length: 130 }, (_, n) => `service-${n}`)
    await grid.fire(services)
    await grid.resolve(['service-3'])
    start()
    await receiver.until(2)
    expect(told().map(({ length }) => length)).toEqual([100, 31])
    expect(told().flat().sort()).toEqual([...services.map((name) => `firing ${name}`), 'resolved service-3'].sort())
    expect(told().flat().at(-1)).toBe('resolved service-3')
  })

  it('gets the same message again while it fails, and the later ones after it', async () => {
    const lines: object[] = []
    const channel = await addWebhook()
    receiver.answer = FAIL
    start({ log: (fields) => lines.push(fields) })
    await grid.fire(['checkout'])
    await receiver.until(3)
    await grid.fire(['cart'])
    await grid.resolve(['checkout'])
    await receiver.until(5)
    const failing = (await log(channel.id)).at(-1)
    expect(failing).toMatchObject({ state: 'waiting', statusCode: 503, error: 'The receiver answered 503.' })
    receiver.answer = TAKE
    await settled(channel.id, 2)
    const messages = told().map((alerts) => alerts.join(', '))
    expect([...new Set(messages)]).toEqual(['firing checkout', 'firing cart, resolved checkout'])
    const repeats = receiver.received.filter(({ message }) => message.alerts[0]?.serviceName === 'checkout')
    expect(new Set(repeats.map(({ body }) => body)).size).toBe(1)
    expect(new Set(repeats.map(({ headers }) => headers['faultline-delivery'])).size).toBe(1)
    expect(lines).toMatchObject([{ channelId: channel.id, reason: 'The receiver answered 503.' }])
  })

  it('that hangs does not keep others from being told, and is asked again', async () => {
    const hanging = await openReceiver()
    hanging.answer = HANG
    const slow = await grid.addChannel({ kind: 'webhook', url: hanging.url }, SECRET)
    const other = await control.channels.create(grid.gridId, {
      name: 'Other',
      target: { kind: 'webhook', url: receiver.url },
      secret: SECRET,
    })
    const channels = [slow.id, other.id]
    const rule = await control.alerts.rules.update(grid.gridId, grid.rule.id, { ...grid.rule, channels }, 0)
    grid.rule = rule ?? grid.rule
    start({ sendTimeoutMs: 200 })
    await grid.fire(['checkout'])
    await receiver.until(1)
    await hanging.until(2)
    expect(await log(slow.id)).toMatchObject([
      { state: 'waiting', statusCode: null, error: 'The receiver did not answer in time.' },
    ])
    await stop()
    await hanging.close()
  })

  it('is not followed where it redirects', async () => {
    const channel = await addWebhook()
    receiver.answer = (response) => void response.writeHead(302, { location: `${receiver.url}/elsewhere` }).end()
    start()
    await grid.fire(['checkout'])
    await receiver.until(2)
    expect(receiver.received.map(({ path }) => path)).not.toContain('/elsewhere')
    expect((await log(channel.id))[0]?.error).toBe('The receiver answered 302, and redirects are not followed.')
  })

  it('may answer as much as it likes: nobody reads it to the end', async () => {
    const channel = await addWebhook()
    receiver.answer = (response) => {
      response.writeHead(200)
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      }
      response.on('drain', more).on('error', () => undefined)
      more()
    }
    start()
    await grid.fire(['checkout'])
    expect(await settled(channel.id, 1)).toMatchObject([{ statusCode: 200 }])
  })

  it('inside the own network is not asked unless the configuration allows it', async () => {
    const channel = await addWebhook()
    start({ networks: [] })
    await grid.fire(['checkout'])
    while ((await log(channel.id))[0]?.attempts === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    expect((await log(channel.id))[0]?.error).toContain("inside the server's own network")
    await stop()
    start({ networks: ['127.0.0.0/8'] })
    await receiver.until(1)
  })
})

describe('a message', () => {
  it('has the diagnosis that fits the service, of the moment it fired', async () => {
    await addWebhook()
    const asked: [string, number][] = []
    start({
      diagnose: async (...moment) => {
        asked.push(moment)
        return [DIAGNOSIS]
      },
    })
    const nowMs = Date.now() - 500
    await grid.fire(['checkout', 'search'], nowMs)
    await receiver.until(1)
    const [checkout, search] = receiver.received[0]?.message.alerts ?? []
    const { cause, confidence, evidence } = DIAGNOSIS
    expect(checkout?.diagnosis).toMatchObject({
      cause,
      confidence,
      evidence,
      firstDetected: '2027-01-15T08:00:00.000Z',
    })
    expect(search).not.toHaveProperty('diagnosis')
    expect(asked).toEqual([[grid.gridId, nowMs]])
  })

  it('goes out without one where that fails', async () => {
    await addWebhook()
    start({ diagnose: () => Promise.reject(new Error('no store')) })
    await grid.fire(['checkout'])
    await receiver.until(1)
    expect(receiver.received[0]?.message.alerts[0]).not.toHaveProperty('diagnosis')
  })

  it('is given up after a day, which is logged, and the next one is sent', async () => {
    const channel = await addWebhook()
    receiver.answer = FAIL
    let nowMs = Date.now()
    const lines: string[] = []
    start({ clock: () => nowMs, log: (_, message) => lines.push(message) })
    await grid.fire(['checkout'], nowMs)
    await receiver.until(1)
    nowMs += 24 * 3_600_000 - 1000
    await grid.fire(['cart'], nowMs)
    nowMs += 62_000
    receiver.answer = TAKE
    expect(await settled(channel.id, 1)).toMatchObject([
      { state: 'delivered', alerts: [{ serviceName: 'cart' }] },
      { state: 'given up', nextAttemptAtMs: null, alerts: [{ serviceName: 'checkout' }] },
    ])
    expect(lines).toContainEqual(expect.stringMatching(/given up/))
  })

  it('survives a stop in the middle of being sent', async () => {
    const channel = await addWebhook()
    receiver.answer = HANG
    start()
    await grid.fire(['checkout'])
    await receiver.until(1)
    const stoppedAtMs = performance.now()
    await stop()
    expect(performance.now() - stoppedAtMs).toBeLessThan(1000)
    expect(await log(channel.id)).toMatchObject([{ state: 'waiting', attempts: 0 }])
    receiver.answer = TAKE
    start()
    await settled(channel.id, 1)
    const [first, second] = receiver.received
    expect(second?.body).toBe(first?.body)
  })
})

describe('a silence', () => {
  const silence = (matching: { ruleId?: string; serviceName?: string }, startsAtMs: number, endsAtMs: number) =>
    control.silences.create(
      grid.gridId,
      {
        ruleId: matching.ruleId ?? null,
        serviceName: matching.serviceName ?? null,
        reason: '',
        createdBy: 'ann',
        startsAtMs,
        endsAtMs,
      },
      startsAtMs,
    )
  const put = async (channelId: string) =>
    (await log(channelId)).toReversed().flatMap(({ alerts }) => alerts.map((a) => `${a.transition} ${a.serviceName}`))

  it('keeps alerts from being told that fire and end during it, and lets them be listed', async () => {
    const channel = await addWebhook()
    await silence({ serviceName: 'checkout' }, 1000, 9000)
    await grid.fire(['checkout', 'cart'], 2000)
    expect((await control.alerts.activeAt(grid.gridId, 2000)).map(({ serviceName }) => serviceName).sort()).toEqual([
      'cart',
      'checkout',
    ])
    await grid.resolve(['checkout', 'cart'], 3000)
    await grid.look(10_000)
    expect(await put(channel.id)).toEqual(['firing cart', 'resolved cart'])
  })

  it('matches by rule and service together', async () => {
    const channel = await addWebhook()
    await silence({ ruleId: 'another', serviceName: 'a' }, 0, 9000)
    await silence({ ruleId: grid.rule.id, serviceName: 'b' }, 0, 9000)
    await grid.fire(['a', 'b', 'c'], 1000)
    expect(await put(channel.id)).toEqual(['firing a', 'firing c'])
  })

  it('that has ended lets be told what still fires, and the end of what was told before', async () => {
    const channel = await addWebhook()
    await grid.fire(['early'], 500)
    const { id } = await silence({}, 1000, 90_000)
    await grid.fire(['during'], 2000)
    await grid.resolve(['early'], 3000)
    await grid.look(4000)
    expect(await put(channel.id)).toEqual(['firing early'])
    expect(await control.silences.end(grid.gridId, id, 5000)).toBe(true)
    expect(await control.silences.end(grid.gridId, id, 5001)).toBe(false)
    await grid.look(6000)
    expect(await put(channel.id)).toEqual(['firing early', 'firing during', 'resolved early'])
  })

  it('does not make anyone hear of what was acknowledged meanwhile', async () => {
    const channel = await addWebhook()
    await silence({}, 0, 3000)
    await grid.fire(['checkout'], 1000)
    const [alert] = await control.alerts.unresolved(grid.gridId)
    await control.alerts.acknowledge(grid.gridId, alert?.id ?? '', 'ann', '', 2000)
    await grid.look(4000)
    await grid.resolve(['checkout'], 5000)
    expect(await put(channel.id)).toEqual([])
  })
})

describe('a channel', () => {
  it('is told of alerts that end because their rule was changed or removed', async () => {
    const channel = await addWebhook()
    await grid.fire(['checkout'], 1000)
    await control.alerts.rules.remove(grid.gridId, grid.rule.id, 200_000)
    expect((await log(channel.id)).map(({ alerts }) => alerts[0]?.transition)).toEqual(['resolved', 'firing'])
  })

  it('that is removed takes its messages along, and leaves the rules', async () => {
    const channel = await addWebhook()
    await grid.fire(['checkout'])
    expect(await control.channels.remove(grid.gridId, channel.id)).toBe(true)
    expect(await control.outbox.due(Date.now() + 1000, [], 8)).toEqual([])
    expect((await control.alerts.rules.find(grid.gridId, grid.rule.id))?.channels).toEqual([])
    await grid.resolve(['checkout'])
  })

  it('that is changed gets what waits at its new address, at once', async () => {
    const gone = await openReceiver()
    await gone.close()
    const channel = await grid.addChannel({ kind: 'webhook', url: gone.url }, SECRET)
    start({ retryMinMs: 60_000 })
    await grid.fire(['checkout'])
    while ((await log(channel.id))[0]?.attempts !== 1) await new Promise((resolve) => setTimeout(resolve, 5))
    expect((await log(channel.id))[0]?.error).toBe('The connection was refused.')
    const target = { kind: 'webhook' as const, url: receiver.url }
    await control.channels.update(grid.gridId, channel.id, { name: 'Moved', target }, Date.now())
    await receiver.until(1)
  })
})
