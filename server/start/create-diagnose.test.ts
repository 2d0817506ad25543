import { afterAll, beforeAll, expect, it } from 'vitest'
import type { ControlStore } from '../control/control-store.ts'
import { openSqliteControlStore } from '../control/sqlite/open-control-store.ts'
import { inService, throwing } from '../diagnostics/diagnosis/testing/fault.ts'
import { simulate } from '../diagnostics/diagnosis/testing/simulated-system.ts'
import { smallShop } from '../diagnostics/diagnosis/testing/small-shop.ts'
import { createAlertFixture } from '../notify/testing/alert-fixture.ts'
import { openReceiver, type Receiver } from '../notify/testing/receiver.ts'
import { createTestNotifier } from '../notify/testing/test-notifier.ts'
import { spanColumnsOf } from '../storage/conformance/span-builder.ts'
import { createMemoryStore } from '../storage/memory/memory-store.ts'
import { createDiagnose } from './create-diagnose.ts'

let control: ControlStore
let receiver: Receiver
let stop: () => Promise<void>
const telemetry = createMemoryStore()

beforeAll(async () => {
  control = await openSqliteControlStore(':memory:')
  receiver = await openReceiver()
  stop = createTestNotifier(control, { diagnose: createDiagnose(telemetry, control) }).start()
})
afterAll(async () => {
  await stop()
  await receiver.close()
  await control.close()
})

it('who is told of an alert is told what /diagnosis says of its service at that moment', async () => {
  const grid = await createAlertFixture(control)
  await grid.addChannel({ kind: 'webhook', url: receiver.url })
  const fault = throwing(inService('payments', 20), 0.5, { type: 'IllegalStateException', message: 'no session' })
  const spans = simulate(smallShop, { seed: 3, minutes: 25, requestsPerMinute: 30, faults: [fault] })
  await telemetry.writeSpans(grid.gridId, spanColumnsOf(spans))
  await grid.fire(['checkout', 'a stranger'], Date.UTC(2026, 2, 1, 10, 25))
  await receiver.until(1)
  const [checkout, stranger] = receiver.received[0]?.message.alerts ?? []
  expect(checkout?.diagnosis).toMatchObject({
    cause: 'Exception in payments (IllegalStateException)',
    affectedServices: ['payments', 'checkout', 'web'],
    evidence: expect.arrayContaining([expect.stringContaining('no session')]),
    firstDetected: expect.stringMatching(/^2026-03-01T10:20:/),
  })
  expect(stranger).not.toHaveProperty('diagnosis')
})
