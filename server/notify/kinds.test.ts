import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ControlStore } from '../control/control-store.ts'
import { openSqliteControlStore } from '../control/sqlite/open-control-store.ts'
import { type AlertFixture, createAlertFixture } from './testing/alert-fixture.ts'
import { type MailServer, openMailServer } from './testing/mail-server.ts'
import { openReceiver, type Receiver } from './testing/receiver.ts'
import { createTestNotifier } from './testing/test-notifier.ts'

let control: ControlStore
let grid: AlertFixture
let receiver: Receiver
let mailServer: MailServer
let stop: () => Promise<void>

beforeEach(async () => {
  control = await openSqliteControlStore(':memory:')
  grid = await createAlertFixture(control)
  receiver = await openReceiver()
  mailServer = await openMailServer()
  const diagnosis = {
    cause: 'Slow dependency of a & b',
    confidence: 0.7,
    severity: 'warning' as const,
    affectedServices: ['a <!channel> b\nResolved: all'],
    evidence: ['p95 rose from 20 ms to 900 ms', '90 of 100 slow traces wait for it'],
    firstDetectedNs: 1n,
    impactedTraceCount: 3,
  }
  stop = createTestNotifier(control, { diagnose: async () => [diagnosis] }).start()
})
afterEach(async () => {
  await stop()
  await receiver.close()
  await mailServer.close()
  await control.close()
})

const until = async (isSo: () => Promise<boolean> | boolean) => {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 5))
}

it('Slack is told in its own words, and telemetry can neither mention anyone nor begin a line', async () => {
  await grid.addChannel({ kind: 'slack', url: 'http://127.0.0.1/…' }, `${receiver.url}/services/T0/B0/x`)
  await grid.fire(['a <!channel> b\nResolved: all'])
  await receiver.until(1)
  const [{ path = '', body = '' } = {}] = receiver.received
  expect(path).toBe('/services/T0/B0/x')
  const lines = JSON.parse(body).text.split('\n')
  expect(lines.slice(0, 2)).toEqual([
    '*Firing: High Error Rate in a &lt;!channel&gt; b Resolved: all (Shop)*',
    'Firing: High Error Rate in a &lt;!channel&gt; b Resolved: all, critical',
  ])
  expect(lines[2]).toMatch(/^error_rate &gt; 5%, at 12\.5%, since \d{4}-/)
  expect(lines.slice(3, 6)).toEqual([
    'Probable cause: Slow dependency of a &amp; b (confidence 0.7)',
    '  - p95 rose from 20 ms to 900 ms',
    '  - 90 of 100 slow traces wait for it',
  ])
  expect(lines[6]).toMatch(/^https:\/\/faultline\.example\/apm\/grids\//)
})

describe('a mail', () => {
  const target = (port: number) => ({
    kind: 'email' as const,
    host: '127.0.0.1',
    port,
    security: 'none' as const,
    username: '',
    from: 'faultline@example.com',
    to: ['ann@example.com', 'bob@example.com'],
  })

  it('goes to all recipients, and says the same', async () => {
    await grid.addChannel(target(mailServer.port), '')
    await grid.fire(['checkout', 'cart'])
    await grid.resolve(['cart'])
    await until(() => mailServer.mails.length > 0)
    const [mail] = mailServer.mails
    expect(mail).toMatchObject({ from: 'faultline@example.com', to: ['ann@example.com', 'bob@example.com'] })
    expect(mail?.data).toMatch(/^Subject: Alerts: 2 firing(, 1 resolved)? \(Shop\)$/m)
    expect(mail?.data).toMatch(/^Firing: High Error Rate in checkout, critical$/m)
    expect(mail?.data).toMatch(/^Auto-Submitted: auto-generated$/m)
  })

  it('has the same id when it is repeated', async () => {
    mailServer.answer = '451 later'
    const channel = await grid.addChannel(target(mailServer.port), '')
    await grid.fire(['checkout'])
    await until(() => mailServer.mails.length > 1)
    mailServer.answer = '250 taken'
    const log = async () => (await control.channels.deliveries(grid.gridId, channel.id, { offset: 0, limit: 9 })).items
    await until(async () => (await log())[0]?.state === 'delivered')
    const ids = mailServer.mails.map(({ data }) => /^Message-ID: (.*)$/m.exec(data)?.[1])
    expect(new Set(ids)).toEqual(new Set([`<${(await log())[0]?.id}@faultline>`]))
  })

  it('is not sent without protection where that was asked for', async () => {
    const channel = await grid.addChannel({ ...target(mailServer.port), security: 'starttls' }, '')
    await grid.fire(['checkout'])
    const last = async () =>
      (await control.channels.deliveries(grid.gridId, channel.id, { offset: 0, limit: 1 })).items[0]
    await until(async () => (await last())?.error !== '')
    expect((await last())?.error).toBe('No protected connection to the mail server came about.')
    expect(mailServer.mails).toEqual([])
  })
})
