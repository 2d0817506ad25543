import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask, LOGS } from './api.ts'
import { expectProblem } from './expect-problem.ts'
import { HOSTILE_STRINGS } from './hostile-strings.ts'
import { nanoseconds, sendOtlp, spanIdOf, text, traceIdOf } from './otlp.ts'
import { type ServerProcess, startServer } from './server-process.ts'

const nowMs = Date.now()
const iso = (ms: number) => new Date(ms).toISOString()
const RANGE = { rangeStart: iso(nowMs - 3_600_000), rangeEnd: iso(nowMs + 60_000) }

interface Item {
  id: string
  body: string
}
interface Page {
  items: Item[]
  totalCount: number
}

let dataDir: string
let server: ServerProcess

/** The newest first, as they are found. */
const RECORDS = [
  {
    severityNumber: 17,
    body: 'Connection to PAYMENTS timed out after 2000 ms',
    span: 1,
    attributes: [number('http.status', 502)],
  },
  { severityNumber: 13, body: 'connection 7 of payments is slow', span: 1, attributes: [text('http.status', '502')] },
  { severityNumber: 9, body: 'Заказ 42 СОХРАНЁН', attributes: [{ key: 'cached', value: { boolValue: true } }] },
  { severityNumber: 0, body: '数据库连接失败', attributes: [] },
  { severityNumber: 9, body: 'connection 8 of payments is slow', attributes: [] },
]

function number(key: string, intValue: number): object {
  return { key, value: { intValue: String(intValue) } }
}

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'faultline-logs-'))
  server = await startServer(dataDir)
  const logRecords = RECORDS.map(({ severityNumber, body, span, attributes }, i) => ({
    timeUnixNano: nanoseconds(nowMs - 1000 * i),
    severityNumber,
    body: { stringValue: body },
    attributes,
    ...(span === undefined ? {} : { traceId: traceIdOf(1), spanId: spanIdOf(span) }),
  }))
  const resource = { attributes: [text('service.name', 'shop'), text('zone', 'eu')] }
  const request = { resourceLogs: [{ resource, scopeLogs: [{ logRecords }] }] }
  // A client that does not know better sends twice.
  for (let times = 0; times < 2; times++) expect((await sendOtlp(server.url, 'logs', request)).status).toBe(200)
})

afterAll(async () => {
  await server.stop()
  await rm(dataDir, { recursive: true, force: true })
})

async function found(filter: object): Promise<number[]> {
  const { status, body } = await ask<Page>(server, LOGS, { body: { ...RANGE, ...filter } })
  expect(status).toBe(200)
  expect(body.totalCount).toBe(body.items.length)
  return body.items.map((item) => RECORDS.findIndex((record) => record.body === item.body))
}

async function expectAnswers(): Promise<void> {
  expect(await found({})).toEqual([0, 1, 2, 3, 4])
  expect(await found({ body: 'payments CONNECTION' })).toEqual([0, 1, 4])
  expect(await found({ body: 'сохранён' })).toEqual([2])
  expect(await found({ body: '连接' })).toEqual([3])
  expect(await found({ body: '.*' })).toEqual([])
  expect(await found({ severityLevel: 'Information' })).toEqual([2, 3, 4])
  expect(await found({ attributes: { 'http.status': 502 } })).toEqual([0, 1])
  expect(await found({ attributes: { cached: true, zone: 'eu' } })).toEqual([2])
  expect(await found({ spanId: spanIdOf(1).toUpperCase(), traceId: traceIdOf(1) })).toEqual([0, 1])
  expect(await found({ serviceName: 'cart' })).toEqual([])
  expect((await ask(server, `${LOGS}/filters`)).body).toEqual({
    severityLevels: ['Information', 'Warning', 'Error'],
    serviceNames: ['shop'],
    attributeKeys: ['cached', 'http.status', 'service.name', 'zone'],
  })
  const { body } = await ask<Page>(server, `${LOGS}/patterns?${new URLSearchParams({ ...RANGE, body: 'slow' })}`)
  const pattern = 'connection <*> of payments is slow'
  expect(body.items).toMatchObject([
    { pattern, severityLevel: 'Warning', count: 1, example: { body: RECORDS[1]?.body } },
    { pattern, severityLevel: 'Information', count: 1, example: { body: RECORDS[4]?.body } },
  ])
}

describe('logs', () => {
  it('are found by words, severity, service, trace, span and attributes', expectAnswers)

  it('are shown one by one, by their id or by that of their span', async () => {
    const [first] = (await ask<Page>(server, LOGS, { body: { ...RANGE, pageSize: 1 } })).body.items
    const detail = await ask(server, `${LOGS}/details/${first?.id.toUpperCase()}`)
    expect(detail.body).toEqual({
      id: first?.id,
      timestamp: iso(nowMs),
      severityLevel: 'Error',
      severityNumber: 17,
      body: RECORDS[0]?.body,
      serviceName: 'shop',
      traceId: traceIdOf(1),
      spanId: spanIdOf(1),
      attributes: { 'http.status': 502 },
      resource: { 'service.name': 'shop', zone: 'eu' },
    })
    expect((await ask(server, `${LOGS}/details/${spanIdOf(1)}`)).body).toMatchObject({ body: RECORDS[1]?.body })
    expectProblem(await ask(server, `${LOGS}/details/${spanIdOf(9)}`), 404, 'unknown-log')
    expectProblem(await ask(server, `${LOGS}/details/nothing`), 400, 'invalid-parameter', /^id must be/)
  })

  it('are found by hostile strings only where these occur', async () => {
    for (const hostile of HOSTILE_STRINGS.filter((text) => text.length <= 1024)) {
      const words = hostile.split(/\s+/).map((word) => word.toLowerCase())
      const holding = RECORDS.flatMap(({ body }, i) =>
        words.every((word) => body.toLowerCase().includes(word)) ? [i] : [],
      )
      expect(await found({ body: hostile }), JSON.stringify(hostile)).toEqual(holding)
      expect(await found({ serviceName: hostile }), JSON.stringify(hostile)).toEqual([])
      expect(await found({ attributes: { [hostile]: hostile } }), JSON.stringify(hostile)).toEqual([])
    }
  })

  it('keep their ids, and are found alike, after a crash', async () => {
    const before = (await ask<Page>(server, LOGS, { body: RANGE })).body
    await server.kill()
    server = await startServer(dataDir)
    expect((await ask<Page>(server, LOGS, { body: RANGE })).body).toEqual(before)
    await expectAnswers()
  })
})
