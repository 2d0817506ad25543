import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { logTemplate } from '../server/domain/log-template.ts'
import type { DuckDbStore } from '../server/storage/duckdb/duckdb-store.ts'
import type { TelemetryReader } from '../server/storage/telemetry-store.ts'
import { exportersFor, TRANSPORTS } from './exporters.ts'
import { pointsOf } from './sdk-points.ts'
import {
  ATTRIBUTES,
  at,
  EXCEPTION_ATTRIBUTES,
  LINKED,
  nsOf,
  resourceOf,
  sendAll,
  storedAttributes,
  TEXT,
} from './sdk-telemetry.ts'
import { GRID_ID, startServer } from './server-process.ts'
import { openStoredTelemetry } from './stored-telemetry.ts'

type Sent = Awaited<ReturnType<typeof sendAll>>

const STORED_ATTRIBUTES = storedAttributes(ATTRIBUTES)
const everything = { startNs: nsOf(at(0)), endNs: nsOf(at(0)) + 600_000_000_000n }
const serviceOf = (transport: string) => `käse/${transport}`

let dataDir: string
let store: DuckDbStore
let reader: TelemetryReader
const sentBy = new Map<string, Sent>()

/** A server takes everything and stops; what it has stored is read without it. */
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'faultline-records-'))
  const server = await startServer(dataDir)
  for (const transport of TRANSPORTS) {
    sentBy.set(transport.name, await sendAll(exportersFor(server, transport), serviceOf(transport.name)))
  }
  await server.stop()
  store = await openStoredTelemetry(dataDir)
  reader = store.reader(GRID_ID)
})

afterAll(async () => {
  await store.close()
  await rm(dataDir, { recursive: true, force: true })
})

function sentOver(transport: string): Sent {
  const sent = sentBy.get(transport)
  if (!sent) throw new Error(`Nothing was sent over ${transport}.`)
  return sent
}

describe.each(TRANSPORTS)('what the official exporters send over $name is kept', ({ name }) => {
  const serviceName = serviceOf(name)
  const origin = { serviceName, resource: resourceOf(serviceName), scopeName: 'shop-library', scopeVersion: '3.4' }
  it('as a span with its events, links, flags and scope', async () => {
    const sent = sentOver(name)
    expect(await reader.span(sent.client)).toEqual({
      traceId: sent.traceId,
      spanId: sent.client,
      parentSpanId: sent.root,
      operationName: TEXT,
      kind: 'CLIENT',
      status: 'ERROR',
      statusMessage: 'broke: 漢字',
      startNs: nsOf(at(10, 1)),
      durationNs: 10_500_000n,
      traceState: '',
      flags: 0x101,
      droppedAttributes: 0,
      attributes: STORED_ATTRIBUTES,
      events: [
        { name: 'cache miss 💥', timeNs: nsOf(at(11, 7)), attributes: STORED_ATTRIBUTES },
        { name: 'exception', timeNs: nsOf(at(12, 999_999)), attributes: EXCEPTION_ATTRIBUTES },
        { name: 'nothing more to say', timeNs: nsOf(at(13)), attributes: {} },
      ],
      links: [{ traceId: LINKED.traceId, spanId: LINKED.spanId, attributes: { why: 'retry', times: 3 } }],
      ...origin,
    })
  })

  it('as log records', async () => {
    const sent = sentOver(name)
    const context = { traceId: sent.traceId, spanId: sent.client, flags: 1 }
    const none = { traceId: '', spanId: '', flags: 0, severityNumber: 0, severityText: '', eventName: '' }
    const logs = (await reader.logs(everything, 100)).filter((log) => log.serviceName === serviceName)
    expect(logs).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{32}$/),
        timeNs: nsOf(at(15, 3)),
        observedNs: nsOf(at(16, 4)),
        severityNumber: 14,
        severityText: 'WARNING',
        body: TEXT,
        template: logTemplate(TEXT),
        eventName: 'stock.low',
        ...context,
        droppedAttributes: 0,
        attributes: { ...STORED_ATTRIBUTES, map: { inner: ['AQI=', { deep: true }] }, bytes: '/w==' },
        ...origin,
      },
      {
        id: expect.any(String),
        timeNs: nsOf(at(17)),
        observedNs: nsOf(at(17)),
        ...none,
        body: '{"code":7,"tags":["x"]}',
        template: 'code tags',
        droppedAttributes: 0,
        attributes: {},
        ...origin,
      },
      {
        id: expect.any(String),
        timeNs: nsOf(at(18)),
        observedNs: nsOf(at(18)),
        ...none,
        ...context,
        severityNumber: 21,
        body: 'gave up',
        template: 'gave up',
        droppedAttributes: 0,
        attributes: { 'exception.type': 'OutOfStock', 'exception.message': 'no käse left' },
        ...origin,
      },
    ])
    expect(new Set(logs.map(({ id }) => id)).size).toBe(3)
  })

  it('as metric points: gauge, sums, histogram and exponential histogram', async () => {
    const expected = pointsOf(sentOver(name).metrics).map((point) => ({ ...point, ...origin }))
    const names = new Set(expected.map((point) => point.name))
    expect(names).toEqual(new Set(['requests', 'open', 'load', 'latency', 'exponential']))
    for (const metric of names) {
      const found = (await reader.metricPoints(metric, everything, 100)).filter((p) => p.serviceName === serviceName)
      const wanted = expected.filter((point) => point.name === metric)
      expect(found).toHaveLength(wanted.length)
      expect(found).toEqual(expect.arrayContaining(wanted))
    }
  })
})
