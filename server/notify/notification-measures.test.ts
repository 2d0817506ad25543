import { Registry } from 'prom-client'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { ControlStore } from '../control/control-store.ts'
import { openSqliteControlStore } from '../control/sqlite/open-control-store.ts'
import { createNotificationMeasures } from './notification-measures.ts'
import { type AlertFixture, createAlertFixture } from './testing/alert-fixture.ts'
import { FAIL, openReceiver, type Receiver, TAKE } from './testing/receiver.ts'
import { createTestNotifier } from './testing/test-notifier.ts'

const DAY_MS = 86_400_000

let control: ControlStore
let grid: AlertFixture
let receiver: Receiver
let registry: Registry
let stop: () => Promise<void>
/** How far ahead the notifier's clock is. */
let aheadMs: number

beforeEach(async () => {
  control = await openSqliteControlStore(':memory:')
  grid = await createAlertFixture(control)
  receiver = await openReceiver()
  registry = new Registry()
  aheadMs = 0
  await grid.addChannel({ kind: 'webhook', url: receiver.url }, 'what only we two know')
})
afterEach(async () => {
  await stop()
  await receiver.close()
  await control.close()
})

function start(): void {
  const measures = createNotificationMeasures(registry, () => control.outbox.waiting())
  stop = createTestNotifier(control, { measures, clock: () => Date.now() + aheadMs }).start()
}

async function told(name: string): Promise<number> {
  const line = (await registry.metrics()).split('\n').find((each) => each.startsWith(`faultline_${name} `))
  return Number(line?.split(' ')[1])
}

const sent = () => told('notifications_sent_total{kind="webhook"}')
const failed = () => told('notification_failures_total{kind="webhook"}')
const givenUp = () => told('notifications_given_up_total{kind="webhook"}')
const waiting = () => told('notifications_waiting')

it('tells what was sent, what failed and what waits', async () => {
  receiver.answer = FAIL
  start()
  expect([await sent(), await failed(), await givenUp(), await waiting()]).toEqual([0, 0, 0, 0])
  await grid.fire(['checkout'])
  await expect.poll(failed).toBeGreaterThan(0)
  expect([await sent(), await waiting()]).toEqual([0, 1])
  receiver.answer = TAKE
  aheadMs += 60_000
  await expect.poll(sent).toBe(1)
  await expect.poll(waiting).toBe(0)
})

it('tells what was given up', async () => {
  receiver.answer = FAIL
  await grid.fire(['checkout'])
  aheadMs += 2 * DAY_MS
  start()
  await expect.poll(givenUp).toBe(1)
  expect([await sent(), await waiting()]).toEqual([0, 0])
})
