import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openMailServer } from '../server/notify/testing/mail-server.ts'
import { FAIL, HANG, openReceiver, type Receiver, TAKE } from '../server/notify/testing/receiver.ts'
import { createSelfSigned } from '../server/receive/testing/self-signed-fixture.ts'
import { ask } from './api.ts'
import { sendOtlp, spanIdOf, traceIdOf, traceRequest } from './otlp.ts'
import { GRID_ID, type ServerProcess, startServer } from './server-process.ts'

const GRID = `/apm/grids/${GRID_ID}`
const CERTIFICATE = createSelfSigned()

let folder: string
let dataDir: string
let env: Record<string, string>
let server: ServerProcess
let receiver: Receiver

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'faultline-notifications-'))
  dataDir = join(folder, 'data')
  const certificateFile = join(folder, 'certificate.pem')
  await writeFile(certificateFile, CERTIFICATE.cert)
  env = { FAULTLINE_NOTIFY_NETWORKS: '127.0.0.1', NODE_EXTRA_CA_CERTS: certificateFile }
  server = await startServer(dataDir, env)
  receiver = await openReceiver()
})
afterAll(async () => {
  await receiver.close()
  await rm(folder, { recursive: true, force: true })
})

it('a webhook that fails, hangs and comes back gets every transition, in order, whenever the server is killed', async () => {
  const channel = await make<{ id: string; signingSecret: string }>('channels', {
    name: 'Pager',
    webhook: { url: `${receiver.url}/pager` },
  })
  const rule = {
    name: 'Errors',
    metric: 'error_rate',
    comparator: '>',
    threshold: 5,
    windowMinutes: 60,
    durationMinutes: 0,
    channels: [channel.id],
  }
  const { id: ruleId } = await make<{ id: string }>('alert-rules', rule)
  const change = (threshold: number) => change200(`alert-rules/${ruleId}`, { ...rule, threshold })

  receiver.answer = FAIL
  await sendFailures()
  await receiver.until(2)

  // Ends the alert; what still holds fires anew at the next look, which a start begins with.
  await change(6)
  receiver.answer = HANG
  await receiver.until(receiver.received.length + 1)
  await killAndStart()

  // It has the message, and the server never learns it.
  let killed: Promise<void> | undefined
  receiver.answer = () => {
    killed = killAndStart()
  }
  await receiver.until(receiver.received.length + 1)
  receiver.answer = TAKE
  await killed

  await transitions(3)
  await change(7)
  await transitions(4)

  const last = new Map(receiver.received.map(({ message }) => [message.deliveryId, message]))
  const told = [...last.values()].flatMap(({ alerts }) => alerts.map(({ status, id }) => ({ status, id })))
  const [first, second] = [told[0]?.id, told[2]?.id]
  expect(told.slice(0, 4)).toEqual([
    { status: 'firing', id: first },
    { status: 'resolved', id: first },
    { status: 'firing', id: second },
    { status: 'resolved', id: second },
  ])
  expect(first).not.toBe(second)

  const order = receiver.received.map(({ message }) => [...last.keys()].indexOf(message.deliveryId))
  expect(order).toEqual(order.toSorted((a, b) => a - b))
  for (const id of last.keys()) {
    const copies = receiver.received.filter(({ headers }) => headers['faultline-delivery'] === id)
    expect(new Set(copies.map(({ body }) => body)).size).toBe(1)
  }
  expect(
    receiver.received.filter(({ message }) => message.deliveryId === last.keys().next().value).length,
  ).toBeGreaterThan(3)

  const path = `${GRID}/channels/${channel.id}/deliveries`
  await expect
    .poll(async () => (await ask<{ items: { state: string }[] }>(server, path)).body.items.map(({ state }) => state))
    .not.toContain('waiting')
  expect(server.output()).not.toContain(channel.signingSecret)
}, 120_000)

it('a mail is sent over a protected connection, by whoever the channel says', async () => {
  const mailServer = await openMailServer(CERTIFICATE)
  const email = {
    host: 'localhost',
    port: mailServer.port,
    security: 'tls',
    username: 'faultline',
    password: 'the password of the mail server',
    from: 'faultline@example.com',
    to: ['oncall@example.com'],
  }
  const channel = await make<{ id: string }>('channels', { name: 'Mail', email })
  const tested = await ask(server, `${GRID}/channels/${channel.id}/test`, { method: 'POST' })
  expect(tested.body).toMatchObject({ state: 'delivered', error: '' })
  expect(mailServer.mails).toMatchObject([{ to: email.to, credentials: [email.username, email.password] }])
  expect(mailServer.mails[0]?.data).toMatch(/^Subject: Test from Faultline/m)
  expect(server.output()).not.toContain(email.password)
  await mailServer.close()
})

it('a server stops in time while a receiver hangs', async () => {
  receiver.answer = HANG
  const { id } = await make<{ id: string }>('channels', { name: 'Hanging', webhook: { url: receiver.url } })
  const seen = receiver.received.length
  const testing = ask(server, `${GRID}/channels/${id}/test`, { method: 'POST' }).catch(() => undefined)
  await receiver.until(seen + 1)
  const startedMs = performance.now()
  expect(await server.stop()).toEqual({ code: 0, signal: null })
  expect(performance.now() - startedMs).toBeLessThan(10_000)
  await testing
})

/** Resolves once so many changes have arrived, each counted once. */
async function transitions(count: number): Promise<void> {
  for (;;) {
    const messages = new Map(receiver.received.map(({ message }) => [message.deliveryId, message.alerts.length]))
    if ([...messages.values()].reduce((sum, alerts) => sum + alerts, 0) >= count) return
    await receiver.until(receiver.received.length + 1)
  }
}

async function killAndStart(): Promise<void> {
  await server.kill()
  server = await startServer(dataDir, env)
}

async function make<T>(path: string, body: object): Promise<T> {
  const answer = await ask<T>(server, `${GRID}/${path}`, { body })
  expect(answer.status).toBe(201)
  return answer.body
}

async function change200(path: string, body: object): Promise<void> {
  expect((await ask(server, `${GRID}/${path}`, { method: 'PUT', body })).status).toBe(200)
}

async function sendFailures(): Promise<void> {
  const startMs = Date.now() - 1000
  const failed = Array.from({ length: 100 }, (_, n) => ({
    traceId: traceIdOf(n),
    spanId: spanIdOf(n),
    startMs,
    status: { code: 2, message: 'no' },
  }))
  expect((await sendOtlp(server.otlpHttpUrl, 'traces', traceRequest(failed))).status).toBe(200)
}
