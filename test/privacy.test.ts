import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ask, LOGS, TRACES } from './api.ts'
import { nanoseconds, sendOtlp, spanIdOf, text, traceIdOf, traceRequest } from './otlp.ts'
import { GRID_ID, type ServerProcess, startServer } from './server-process.ts'

const nowMs = Date.now()
const iso = (ms: number) => new Date(ms).toISOString()
const RANGE = { rangeStart: iso(nowMs - 3_600_000), rangeEnd: iso(nowMs + 60_000) }
const RULES = `/apm/grids/${GRID_ID}/privacy-rules`

let dataDir: string
let server: ServerProcess

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'faultline-privacy-'))
  server = await startServer(dataDir)
})
afterAll(async () => {
  await server.stop()
  await rm(dataDir, { recursive: true, force: true })
})

/** Files of the data folder that have this text in them. */
async function filesWith(needle: string): Promise<string[]> {
  const files = await readdir(dataDir, { recursive: true, withFileTypes: true })
  const found: string[] = []
  for (const file of files.filter((each) => each.isFile())) {
    const path = join(file.parentPath, file.name)
    if ((await readFile(path)).includes(needle)) found.push(path)
  }
  return found
}

async function addRule(rule: object): Promise<void> {
  expect((await ask(server, RULES, { body: { action: 'redact', ...rule } })).status).toBe(201)
}

async function sendSpan(number: number, customer: string): Promise<void> {
  const attributes = [text('customer.id', customer), text('note', `from ${customer}@example.com`)]
  const span = { traceId: traceIdOf(number), spanId: spanIdOf(number), startMs: nowMs - number, attributes }
  expect((await sendOtlp(server.url, 'traces', traceRequest([span]))).status).toBe(200)
}

async function sendLog(body: string): Promise<void> {
  const record = { timeUnixNano: nanoseconds(nowMs), severityNumber: 9, body: { stringValue: body } }
  const resource = { attributes: [text('service.name', 'shop')] }
  const request = { resourceLogs: [{ resource, scopeLogs: [{ logRecords: [record] }] }] }
  expect((await sendOtlp(server.url, 'logs', request)).status).toBe(200)
}

async function tagsOf(number: number): Promise<Record<string, string>> {
  const { body } = await ask<{ tags: Record<string, string> }>(server, `${TRACES}/spans/${spanIdOf(number)}/tags`)
  return body.tags
}

it('what rules hide never reaches the disk, from the moment that they are made, also after a crash', async () => {
  await sendSpan(1, 'kept-as-it-was-1')
  await addRule({ name: 'Customers', key: 'customer.*', action: 'hash' })
  await addRule({ name: 'Mails', preset: 'emails' })
  await addRule({ name: 'Cards', preset: 'cards', places: ['log-bodies'] })
  await sendSpan(2, 'hidden-customer')
  await sendSpan(3, 'hidden-customer')
  await sendLog('ann@hidden.example.com paid with 4111 1111 1111 1111')
  await server.kill()
  for (const hidden of ['hidden-customer', 'hidden.example', '4111 1111']) expect(await filesWith(hidden)).toEqual([])
  expect(await filesWith('kept-as-it-was-1')).not.toEqual([])

  server = await startServer(dataDir)
  await sendSpan(4, 'hidden-customer')
  expect(await filesWith('hidden-customer')).toEqual([])
  expect((await tagsOf(1))['customer.id']).toBe('kept-as-it-was-1')
  const hashed = await tagsOf(2)
  expect(hashed).toMatchObject({ 'customer.id': expect.stringMatching(/^hash:/), note: 'from [redacted]' })
  expect(await tagsOf(4)).toEqual(hashed)
  const tags = { 'customer.id': hashed['customer.id'] }
  const found = await ask<{ totalCount: number }>(server, TRACES, { body: { ...RANGE, tags } })
  expect(found.body.totalCount).toBe(3)
  const logs = await ask<{ items: { body: string }[] }>(server, LOGS, { body: { ...RANGE } })
  expect(logs.body.items.map(({ body }) => body)).toEqual(['[redacted] paid with [redacted]'])
})
