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

interface DeletionAnswer {
  id: string
  state: string
  hoursDone: number
  hoursTotal: number
  deleted: { spans: number; logRecords: number; metricPoints: number }
}

const VALUE = 'erased-like-no-other'
const HOURS = 5

/** One record of each kind with the value, and one without it, in each hour. */
async function sendRecords(hour: number): Promise<void> {
  const startMs = nowMs - hour * 3_600_000 - 1000
  const carried = [text('user.email', VALUE)]
  const [traceId, spanId] = [traceIdOf(100 + hour), spanIdOf(100 + hour)]
  const spans = [
    { traceId, spanId, startMs, name: `mail ${VALUE}`, attributes: carried, status: { code: 2, message: VALUE } },
    { traceId, spanId: spanIdOf(200 + hour), startMs, name: 'stays' },
  ]
  const attributes = [text('service.name', 'shop')]
  const logRecords = [carried, []].map((own, i) => ({
    ...{ timeUnixNano: nanoseconds(startMs + i), severityNumber: 9, attributes: own },
    body: { stringValue: i === 0 ? `wrote to ${VALUE}` : `stays ${hour}` },
  }))
  const point = { timeUnixNano: nanoseconds(startMs), asInt: '1', attributes: carried }
  const metrics = [{ name: 'mails', gauge: { dataPoints: [point] } }]
  const sent = [
    await sendOtlp(server.url, 'traces', traceRequest(spans)),
    await sendOtlp(server.url, 'logs', { resourceLogs: [{ resource: { attributes }, scopeLogs: [{ logRecords }] }] }),
    await sendOtlp(server.url, 'metrics', {
      resourceMetrics: [{ resource: { attributes }, scopeMetrics: [{ metrics }] }],
    }),
  ]
  expect(sent.map(({ status }) => status)).toEqual([200, 200, 200])
}

async function until(id: string, isReached: (deletion: DeletionAnswer) => boolean): Promise<DeletionAnswer> {
  let last: DeletionAnswer | undefined
  const path = `/apm/grids/${GRID_ID}/deletions/${id}`
  await expect
    .poll(
      async () => {
        last = (await ask<DeletionAnswer>(server, path)).body
        return isReached(last)
      },
      { timeout: 60_000, interval: 20 },
    )
    .toBe(true)
  return last as DeletionAnswer
}

it('records that carry a value are deleted from answers and from every file, though the server is killed meanwhile', async () => {
  const { body: rules } = await ask<{ items: { id: string }[] }>(server, RULES)
  for (const { id } of rules.items) await ask(server, `${RULES}/${id}`, { method: 'DELETE' })
  for (let hour = 0; hour < HOURS; hour++) await sendRecords(hour)
  expect(await filesWith(VALUE)).not.toEqual([])
  const asked = await ask<DeletionAnswer>(server, `/apm/grids/${GRID_ID}/deletions`, {
    body: { attribute: 'user.email', value: VALUE },
  })
  expect(asked.status).toBe(201)
  await until(asked.body.id, ({ hoursDone }) => hoursDone > 0)
  await server.kill()
  server = await startServer(dataDir)
  const { deleted, hoursDone, hoursTotal } = await until(asked.body.id, ({ state }) => state === 'finished')
  expect(hoursDone).toBe(hoursTotal)
  // What a killed server had deleted of an hour without having noted it is not counted.
  expect(deleted.spans).toBeGreaterThanOrEqual(HOURS - 1)
  expect(deleted.spans).toBeLessThanOrEqual(HOURS)
  expect(await filesWith(VALUE)).toEqual([])

  const range = { rangeStart: iso(nowMs - 24 * 3_600_000), rangeEnd: iso(nowMs + 60_000) }
  const traces = await ask(server, TRACES, { body: { ...range, pageSize: 100 } })
  const logs = await ask<{ items: { body: string }[] }>(server, LOGS, { body: { ...range, pageSize: 100 } })
  const others = [
    await ask(server, `${TRACES}/filters`),
    await ask(server, `${LOGS}/filters`),
    await ask(server, `/apm/grids/${GRID_ID}/audit`),
    await ask(server, `/apm/diagnostics/${GRID_ID}/services`),
    await ask(server, `${TRACES}/correlations/${traceIdOf(101)}/spans`),
    await ask(server, `${TRACES}/correlations/${traceIdOf(101)}/errors`),
  ]
  const told = JSON.stringify([traces, logs, others])
  expect(told).toContain('stays')
  expect(told).not.toContain(VALUE)
  expect(logs.body.items.map(({ body }) => body).filter((body) => body.startsWith('stays'))).toHaveLength(HOURS)
  expect((await ask(server, `${TRACES}/details/${spanIdOf(201)}`)).status).toBe(200)
  expect((await ask(server, `${TRACES}/details/${spanIdOf(101)}`)).status).toBe(404)
  await server.stop()
  expect(await filesWith(VALUE)).toEqual([])
  server = await startServer(dataDir)
})
